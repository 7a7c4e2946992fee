"use client";

import { ArrowDown } from "lucide-react";
import { Fragment, type ReactNode, type RefObject, useMemo } from "react";
import type { PageLink } from "#components/kit/use-search.ts";
import { useVirtualRows } from "#components/kit/use-virtual-rows.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { classes } from "#components/ui/classes.ts";
import { useServerTime } from "#components/ui/server-clock.ts";
import { type Exception, SLA_SORTS } from "#lib/exceptions/contract.ts";
import { CHOICE_NAMES, fieldLabel } from "../fields.tsx";
import { BoardGroup } from "./board-group.tsx";
import { type GroupName, groupedLines, plainLines } from "./board-lines.ts";
import { columnsOf, GROUP_PX, ROW, ROW_PX, WIDTHS } from "./columns.ts";
import { ExceptionRow } from "./exception-row.tsx";
import type { BoardSearch } from "./search.ts";
import { useRowKeys } from "./use-row-keys.ts";

/** The columns that are always shown: checkbox, risk, time left and title. */
const FIXED_COLUMNS = 4;
const REGROUP_MS = 5000;

type Sort = BoardSearch["sortBy"];

type Props = {
  items: readonly Exception[];
  asOf: string;
  state: BoardSearch["state"];
  sortBy: Sort;
  onSort: (sortBy: Sort) => void;
  /** Whether only the heading of breached rows is shown; null if there are no headings. */
  folded: boolean | null;
  onFold: () => void;
  /** A group's number of rows; null: unknown. */
  countOf: (group: GroupName) => string | null;
  /** Whether all rows are loaded. */
  isWhole: boolean;
  /** True while rows of the previous filters are shown. */
  stale: boolean;
  linkTo: (to: { exception: string }) => PageLink;
  selected: ReadonlySet<string>;
  arrived: ReadonlySet<string>;
  left: ReadonlySet<string>;
  /** The row to scroll to and focus. */
  ledTo: { id: string } | null;
  /** Null: rows can't be selected. */
  onToggle: ((id: string, extend: boolean) => void) | null;
  /** Null if the key acts on the selection. */
  onPause: ((item: Exception) => void) | null;
  onToggleAll: (all: boolean) => void;
  onEndNear: () => void;
  /** The element whose rows must not move under the pointer. */
  table: RefObject<HTMLTableElement | null>;
  onPointerLeave: () => void;
};

export function ExceptionTable(props: Props) {
  const {
    items,
    asOf,
    state,
    sortBy,
    folded,
    onFold,
    countOf,
    isWhole,
    stale,
    linkTo,
    selected,
    arrived,
    left,
  } = props;
  const { board } = usePreferences();
  const columns = useMemo(() => columnsOf(board), [board]);
  const compact = board.density === "compact";
  // Rows are regrouped only every 5 s, because regrouping visits every row. The clock is the
  // server's, as in the first render.
  const tick = useServerTime((now) => Math.floor(now / REGROUP_MS), asOf);
  const lines = useMemo(
    () =>
      folded === null
        ? plainLines(items)
        : groupedLines(items, Math.max(Date.parse(asOf), tick * REGROUP_MS), folded),
    [items, folded, tick, asOf],
  );
  const { body, measure, reveal, around, rows } = useVirtualRows({
    items: lines,
    rowPx: ({ kind }) => (kind === "group" ? GROUP_PX : ROW_PX[board.density]),
    onEndNear: props.onEndNear,
  });
  const places = useMemo(
    () => lines.flatMap((line, at) => (line.kind === "row" ? [at] : [])),
    [lines],
  );
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const { ledTo } = props;
  const keys = useRowKeys({ ids, indexOf: (at) => places[at] ?? at, reveal, body, ledTo });
  const chosen = useMemo(
    () => (selected.size === 0 ? 0 : items.filter(({ id }) => selected.has(id)).length),
    [items, selected],
  );

  const sortable = (sort: Sort, name: string, className: string) =>
    state === "open" ? (
      <th
        scope="col"
        aria-sort={sortBy !== sort ? undefined : sort === "amount" ? "descending" : "ascending"}
        className={classes(
          "font-medium",
          className.includes("text-right") ? "" : "text-left",
          className,
        )}
      >
        <button
          type="button"
          onClick={() => props.onSort(sort)}
          className={classes(
            "flex h-8 items-center gap-1 rounded-sm hover:text-ink",
            className.includes("text-right") && "ml-auto",
          )}
        >
          {name}
          {sortBy === sort && <ArrowDown aria-hidden className="size-3.5" />}
        </button>
      </th>
    ) : (
      <Heading className={className}>{name}</Heading>
    );

  return (
    <table
      ref={props.table}
      aria-rowcount={isWhole ? lines.length + 1 : -1}
      aria-busy={stale}
      onPointerLeave={props.onPointerLeave}
      className={classes("block transition-opacity", stale && "opacity-60")}
    >
      <caption className="sr-only">{CAPTIONS[state]}</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("flex h-9 items-center pr-3 pl-4", ROW)}>
          {props.onToggle ? (
            <th scope="col" className={classes("relative z-1", WIDTHS.box)}>
              <label className="-m-1.5 flex size-8 items-center justify-center">
                <input
                  type="checkbox"
                  aria-label="Select all loaded exceptions"
                  checked={chosen > 0 && chosen === items.length}
                  ref={(box) => {
                    if (box) box.indeterminate = chosen > 0 && chosen < items.length;
                  }}
                  onChange={({ target }) => props.onToggleAll(target.checked)}
                  className="size-4 accent-(--color-accent)"
                />
              </label>
            </th>
          ) : (
            <td className={WIDTHS.box} />
          )}
          {sortable("breach_risk", state === "closed" ? "Deadline" : "Risk", WIDTHS.risk)}
          {sortable("due_at", TIMES[state], WIDTHS.time)}
          {columns.has("due") && (
            <Heading className={classes("@max-5xl:hidden", WIDTHS.due)}>
              {fieldLabel("due_at")}
            </Heading>
          )}
          {columns.has("reason") && (
            <Heading className={classes("@max-5xl:hidden", WIDTHS.reason)}>
              {fieldLabel("reason_code")}
            </Heading>
          )}
          <Heading className={WIDTHS.title}>Exception</Heading>
          {columns.has("money") &&
            sortable(
              "amount",
              fieldLabel("amount_minor"),
              classes("pr-3 text-right", WIDTHS.money),
            )}
          {CHOICE_NAMES.filter((name) => columns.has(name)).map((name) => {
            const sort = SLA_SORTS.find((sort) => sort === name);
            const label = fieldLabel(name);
            return (
              <Fragment key={name}>
                {sort ? (
                  sortable(sort, label, WIDTHS.choice)
                ) : (
                  <Heading className={WIDTHS.choice}>{label}</Heading>
                )}
              </Fragment>
            );
          })}
          {columns.has("assignee") &&
            sortable("assigned_to", fieldLabel("assigned_to"), WIDTHS.assignee)}
          {columns.has("status") && (
            <Heading className={WIDTHS.status}>{fieldLabel("status")}</Heading>
          )}
        </tr>
      </thead>
      <tbody
        ref={body}
        className="block overflow-x-clip"
        style={around}
        onKeyDown={keys.onKeyDown}
        onFocus={keys.onFocus}
      >
        {rows.map(({ index, item: line }) =>
          line.kind === "group" ? (
            <BoardGroup
              key={line.id}
              ref={measure}
              index={index}
              group={line.group}
              count={countOf(line.group) ?? line.rows.toLocaleString("en")}
              folded={line.group === "breached" && folded === true}
              onToggle={line.group === "breached" ? onFold : null}
              span={FIXED_COLUMNS + columns.size}
            />
          ) : (
            <ExceptionRow
              key={line.id}
              ref={measure}
              index={index}
              item={line.item}
              asOf={asOf}
              linkTo={linkTo}
              columns={columns}
              compact={compact}
              selected={selected.has(line.id)}
              onToggle={props.onToggle}
              onPause={props.onPause}
              news={left.has(line.id) ? "left" : arrived.has(line.id) ? "arrived" : null}
              isTabStop={keys.stop === line.id}
            />
          ),
        )}
      </tbody>
    </table>
  );
}

const TIMES = { open: "Time left", closed: "Closed", all: "Time left, closed" } as const;
const CAPTIONS = {
  open: "Open exceptions",
  closed: "Closed exceptions",
  all: "All exceptions",
} as const;

function Heading({ className, children }: { className: string; children: ReactNode }) {
  return (
    <th
      scope="col"
      className={classes(
        "font-medium",
        className.includes("text-right") ? "" : "text-left",
        className,
      )}
    >
      {children}
    </th>
  );
}
