"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { Check, Sparkles, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useSyncExternalStore } from "react";
import { lineName } from "#components/kit/line-name.ts";
import { classes } from "#components/ui/classes.ts";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { percent } from "#components/ui/percent.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import type { Side } from "./queries.ts";

const ROW_PX = 56;
const OVERSCAN = 8;
const FIRST_ROWS = 16;
const NEVER = () => () => {};

/** One side's open lines: a list box whose rows exist only near the screen. */
export function OpenSide({
  side,
  title,
  hint,
  items,
  active,
  cursor,
  chosen,
  picked,
  stale,
  bare,
  hidden,
  onCursor,
  onPick,
  onEndNear,
}: {
  side: Side;
  title: string;
  hint: ReactNode;
  items: readonly OpenLine[];
  /** Whether the keyboard moves on this side. */
  active: boolean;
  /** The position of the current line, if it is on this side. */
  cursor: number | null;
  /** The lines that the chosen suggestion uses. */
  chosen: ReadonlySet<string>;
  picked: ReadonlySet<string>;
  stale: boolean;
  /** Shown instead of rows. */
  bare: ReactNode;
  /** On a phone, only one side is visible at a time. */
  hidden: boolean;
  onCursor: (index: number) => void;
  onPick: (index: number) => void;
  onEndNear: () => void;
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  // The server and the first paint have plain rows: the content security policy forbids styles from
  // the server.
  const mounted = useSyncExternalStore(
    NEVER,
    () => true,
    () => false,
  );
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: OVERSCAN,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  const endIsNear = items.length > 0 && last >= items.length - OVERSCAN;
  // After every render: a page whose request was cancelled must be requested again, though the end
  // never left the screen.
  useEffect(() => {
    if (endIsNear) onEndNear();
  });

  const target = cursor ?? items.findIndex((item) => chosen.has(item.id));
  useEffect(() => {
    if (target >= 0) virtualizer.scrollToIndex(target, { align: "auto" });
  }, [target, virtualizer]);

  const at = cursor === null ? undefined : items[cursor];
  const row = (index: number) => {
    const item = items[index];
    return (
      item && (
        <Row
          key={item.id}
          id={`${id}-${item.id}`}
          item={item}
          atHand={index === cursor}
          active={active}
          chosen={chosen.has(item.id)}
          picked={picked.has(item.id)}
          onCursor={() => onCursor(index)}
          onPick={() => onPick(index)}
        />
      )
    );
  };
  return (
    <section
      aria-labelledby={id}
      className={classes("flex min-h-0 min-w-0 flex-1 flex-col", hidden && "max-md:hidden")}
    >
      <header className="flex items-baseline justify-between gap-3 border-b border-line bg-canvas px-3 py-2">
        <h2 id={id} className="truncate text-sm font-semibold">
          {title}
        </h2>
        <p className="shrink-0 text-xs text-muted tabular-nums">{hint}</p>
      </header>
      <div
        ref={box}
        role="listbox"
        aria-labelledby={id}
        aria-multiselectable
        aria-activedescendant={at && `${id}-${at.id}`}
        aria-busy={stale}
        tabIndex={0}
        data-pane={side}
        className={classes(
          "min-h-0 flex-1 overflow-y-auto overscroll-contain outline-none",
          "focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-focus",
          stale && "opacity-60",
          items.length === 0 && "hidden",
        )}
      >
        {mounted ? (
          <div
            role="presentation"
            className="relative w-full"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {rows.map(({ index, start }) => (
              <div
                key={items[index]?.id}
                role="presentation"
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                {row(index)}
              </div>
            ))}
          </div>
        ) : (
          items.slice(0, FIRST_ROWS).map((_, index) => row(index))
        )}
      </div>
      {items.length === 0 && bare}
    </section>
  );
}

function Row({
  id,
  item,
  atHand,
  active,
  chosen,
  picked,
  onCursor,
  onPick,
}: {
  id: string;
  item: OpenLine;
  atHand: boolean;
  active: boolean;
  chosen: boolean;
  picked: boolean;
  onCursor: () => void;
  onPick: () => void;
}) {
  const {
    currency,
    open_minor,
    amount_minor,
    value_date,
    reference,
    counterparty,
    description,
    suggestion,
    exception_id,
  } = item;
  const name = lineName(item);
  const more = [counterparty && reference, counterparty ? description : null]
    .filter(Boolean)
    .join(" · ");
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list box handles the keyboard
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={picked || chosen}
      onClick={(event) => {
        const picks =
          event.metaKey ||
          event.ctrlKey ||
          event.shiftKey ||
          (event.target as Element).closest("[data-pick]");
        if (picks) onPick();
        else onCursor();
      }}
      className={classes(
        "relative flex h-14 cursor-default items-center gap-2 border-b border-line pr-3 pl-1",
        "text-sm before:absolute before:inset-y-0 before:left-0 before:w-[3px]",
        picked || chosen ? "bg-accent-soft" : "hover:bg-hover",
        atHand
          ? active
            ? "bg-selected before:bg-accent"
            : "before:bg-field"
          : chosen && "before:bg-accent-text",
      )}
    >
      <span aria-hidden data-pick className="flex size-9 shrink-0 items-center justify-center">
        <span
          className={classes(
            "flex size-4 items-center justify-center rounded-sm border",
            picked ? "border-accent bg-accent text-on-accent" : "border-field bg-surface",
          )}
        >
          {picked && <Check className="size-3" strokeWidth={3} />}
        </span>
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5">
          <span className="truncate font-medium">{name}</span>
          {suggestion && (
            <span className="inline-flex shrink-0 items-center gap-0.5 text-xs text-accent-text tabular-nums">
              <Sparkles aria-hidden className="size-3" />
              <span className="sr-only">Suggestion </span>
              {suggestion.score !== null && percent(suggestion.score)}
            </span>
          )}
          {exception_id && (
            <span className="inline-flex shrink-0 text-muted" title="An exception is open for it">
              <TriangleAlert aria-hidden className="size-3" />
              <span className="sr-only">Exception</span>
            </span>
          )}
        </span>
        <span className="block truncate text-muted">
          <span className="tabular-nums">{formatDay(value_date, "UTC")}</span>
          {more && ` · ${more}`}
        </span>
      </span>
      <span className="shrink-0 text-right tabular-nums">
        <span className="block font-medium">{formatMoney(open_minor, currency)}</span>
        {open_minor !== amount_minor && (
          <span className="block text-xs text-muted">of {formatMoney(amount_minor, currency)}</span>
        )}
      </span>
    </div>
  );
}
