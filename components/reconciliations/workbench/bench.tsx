"use client";

import { BadgeCheck, LockKeyhole, Scale, SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useMay } from "#components/kit/may.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useSearch } from "#components/kit/use-search.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { Notice } from "#components/ui/notice.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { toast } from "#components/ui/toast.ts";
import { confirmMatchContract, createMatchContract } from "#lib/matching/contract.ts";
import type { OpenLine } from "#lib/matching/work/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { ActionBar } from "./action-bar.tsx";
import { BenchFilters } from "./bench-filters.tsx";
import { ExcludeDialog } from "./exclude-dialog.tsx";
import { ExplainDialog } from "./explain-dialog.tsx";
import { OpenSide } from "./open-side.tsx";
import { balanceOf, splittable } from "./options.ts";
import type { Side } from "./queries.ts";
import { workbenchSearch } from "./search.ts";
import { SuggestionPanel } from "./suggestion-panel.tsx";
import { useDecide } from "./use-decide.ts";
import { type Key, useKeys } from "./use-keys.ts";
import { useOthers, useUndo } from "./use-others.ts";
import { useWorkbench } from "./use-workbench.ts";
import { WorkbenchSkeleton } from "./workbench-skeleton.tsx";

const SIDES = ["left", "right"] as const;
const NOBODY: ReadonlySet<string> = new Set();
const PAGE_ROWS = 8;

export function Bench({ reconciliation }: { reconciliation: Reconciliation }) {
  const { id, left_source, right_source } = reconciliation;
  const tenant = useTenantId();
  const mayDecide = useMay(confirmMatchContract.access);
  const mayWrite = useMay(createMatchContract.access);
  const { search, set, isFiltered, clear } = useSearch(workbenchSearch, ["q", "suggested", "currency"]);
  const bench = useWorkbench(id, search);
  const { line, option, picked, side } = bench;
  const undo = useUndo(id);
  const decide = useDecide(id, () => undo.start(undefined));
  const [asking, setAsking] = useState<"explain" | "exclude" | null>(null);
  const root = useRef<HTMLDivElement>(null);
  useOthers(id);

  const loaded = (ids: readonly string[]): OpenLine[] => [...bench.left.items, ...bench.right.items].filter((one) => ids.includes(one.id));
  const pickedLines = [...picked.values()];
  const lines = picked.size > 0 ? pickedLines : option ? loaded(option.line_ids) : line ? [line] : [];
  const ids = picked.size > 0 ? pickedLines.map((one) => one.id) : (option?.line_ids ?? (line ? [line.id] : []));
  const { left_minor, right_minor } = picked.size === 0 && option ? option : balanceOf(lines);
  const difference = left_minor - right_minor;
  const currency = lines[0]?.currency ?? line?.currency ?? "EUR";
  const mixed = balanceOf(lines).currencies.length > 1;
  const money = (minor: number) => formatMoney(minor, currency);
  const split = lines.length === ids.length ? splittable(lines) : null;
  const isFree = !decide.isPending;

  function matchByHand(
    more: {
      adjustments?: { kind: "fee" | "fx" | "rounding" | "write_off" | "other"; amount_minor: number; note: string | null }[];
      split?: OpenLine;
    } = {},
  ) {
    const gone = ids.filter((one) => one !== more.split?.id);
    const done = `Matched ${ids.length} lines, ${money(Math.max(Math.abs(left_minor), Math.abs(right_minor)))}`;
    decide.start({
      act: "match",
      line_ids: [...ids],
      adjustments: more.adjustments,
      split_line_id: more.split?.id,
      gone,
      partial: more.split !== undefined,
      done: more.split ? `${done}. ${money(Math.abs(difference))} stays open` : done,
    });
    bench.clear();
  }

  function accept() {
    if (!mayDecide || !isFree) return;
    if (picked.size === 0 && option?.match_id) {
      const partly = lines.some((one) => option.takes?.get(one.id) !== one.open_minor);
      const gone = option.line_ids.filter((one) => !lines.some((known) => known.id === one && option.takes?.get(one) !== known.open_minor));
      decide.start({
        act: "confirm",
        match_id: option.match_id,
        gone,
        partial: partly,
        done: `Confirmed ${money(option.left_minor || option.right_minor)}`,
      });
    } else if (!mayWrite) {
      toast("Your role can confirm suggestions. Ask an admin or a lead to match by hand.");
    } else if (ids.length < 2) {
      toast("Choose a suggestion, or select lines of both sides with X.");
    } else if (mixed) {
      toast("These lines are in several currencies. A match needs one.");
    } else if (difference !== 0) {
      toast(`${money(difference)} isn't explained`, { description: "W explains it; S leaves it open on the larger line." });
    } else matchByHand();
  }

  function reject() {
    if (!mayDecide || !isFree) return;
    if (picked.size > 0) return bench.clear();
    if (!option?.match_id) return toast("Only a suggestion of the last run can be rejected.");
    decide.start({
      act: "reject",
      match_id: option.match_id,
      gone: [],
      partial: false,
      done: `Rejected ${money(option.left_minor || option.right_minor)}`,
    });
  }

  function leaveOpen() {
    if (!mayWrite || !isFree) return;
    if (!split || mixed) return toast("To split a line, select lines of both sides whose sums differ.");
    matchByHand({ split });
  }

  function writeOff() {
    if (!mayWrite) return;
    if (ids.length < 2) setAsking("exclude");
    else if (difference === 0 || mixed) toast("There is no difference to write off.");
    else setAsking("explain");
  }

  const ask = mayWrite && line !== null;
  function choose(place: number) {
    bench.clear();
    bench.choose(place);
  }
  useKeys([
    ["ArrowDown", () => bench.move(1)],
    ["ArrowUp", () => bench.move(-1)],
    ["ArrowLeft", () => bench.cross("left")],
    ["ArrowRight", () => bench.cross("right")],
    ["PageDown", () => bench.move(PAGE_ROWS)],
    ["PageUp", () => bench.move(-PAGE_ROWS)],
    ["Home", () => bench.move(-bench.index)],
    ["End", () => bench.move(Number.MAX_SAFE_INTEGER)],
    ...bench.options.map((_, place): Key => [String(place + 1), () => choose(place)]),
    ["Enter", accept],
    ["r", reject],
    ["s", leaveOpen],
    ["w", writeOff],
    ["e", () => ask && setAsking("exclude")],
    ["u", () => mayDecide && undo.start(undefined)],
    ["x", () => line && bench.pick(line)],
    [" ", () => line && bench.pick(line)],
    ["Escape", bench.clear],
  ]);

  // The keyboard starts in the lists.
  const ready = bench.left.newest !== undefined && bench.right.newest !== undefined;
  useEffect(() => {
    if (ready && document.activeElement === document.body)
      root.current?.querySelector<HTMLElement>("[data-pane]:not(.hidden)")?.focus({ preventScroll: true });
  }, [ready]);

  const failure = bench.left.failure ?? bench.right.failure;
  if (failure)
    return <ProblemNotice error={failure} onRetry={() => Promise.all([bench.left.pages.refetch(), bench.right.pages.refetch()])} />;
  if (!ready) return <WorkbenchSkeleton />;
  if (reconciliation.closed_at) {
    return (
      <Notice icon={LockKeyhole} title="This period is closed" action={<Back id={id} tenant={tenant} />}>
        Nothing in it changes any more. Reopen it to decide again.
      </Notice>
    );
  }
  const nothing = bench.left.isBare && bench.right.isBare;
  if (nothing && !isFiltered) {
    return reconciliation.matched_count === 0 ? (
      <Notice icon={Scale} title="No lines yet" action={<Back id={id} tenant={tenant} />}>
        Import lines into both sources. What the rules leave open appears here.
      </Notice>
    ) : (
      <Notice icon={BadgeCheck} title="Tied out" action={<Back id={id} tenant={tenant} />}>
        Nothing is open. See the proof and close the period.
      </Notice>
    );
  }

  const taken = picked.size === 0 && option ? new Set(option.line_ids) : NOBODY;
  return (
    <div ref={root} className="flex flex-col gap-3">
      <BenchFilters search={search} onChange={set} onClear={isFiltered && clear} lines={[...bench.left.items, ...bench.right.items]} />
      <div className="md:hidden">
        <Segmented
          label="Side"
          value={side}
          options={SIDES.map((value) => ({ value, label: `${value === "left" ? "Left" : "Right"} · ${countOf(bench[value])}` }))}
          onChange={(to) => bench.go(to, 0)}
        />
      </div>
      <div className="flex flex-col overflow-hidden rounded-lg border border-line md:h-[calc(100dvh-13.5rem)] md:min-h-96 xl:flex-row">
        <div className="flex min-h-0 min-w-0 flex-1 divide-x divide-line max-md:h-[42dvh] max-md:min-h-56">
          {SIDES.map((one: Side) => (
            <OpenSide
              key={one}
              side={one}
              title={one === "left" ? left_source : right_source}
              hint={`${countOf(bench[one])} open`}
              items={bench[one].items}
              active={side === one}
              cursor={side === one && line ? bench.index : null}
              chosen={taken}
              picked={new Set(picked.keys())}
              stale={bench[one].isStale}
              hidden={side !== one}
              bare={<Bare filtered={isFiltered} onClear={clear} />}
              onCursor={(index) => bench.go(one, index)}
              onPick={(index) => {
                const item = bench[one].items[index];
                if (item) bench.pick(item);
              }}
              onEndNear={() => {
                const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = bench[one].pages;
                if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) fetchNextPage();
              }}
            />
          ))}
        </div>
        <SuggestionPanel bench={bench} id={id} lines={lines} currency={currency} />
      </div>
      <ActionBar
        left={left_minor}
        right={right_minor}
        currency={currency}
        count={ids.length}
        can={{
          accept:
            mayDecide &&
            isFree &&
            ids.length > 1 &&
            (picked.size === 0 && option?.match_id ? true : mayWrite && difference === 0 && !mixed),
          reject: mayDecide && isFree && picked.size === 0 && Boolean(option?.match_id),
          split: mayWrite && isFree && split !== null && !mixed,
          writeOff: mayWrite && isFree && (ids.length === 1 || (difference !== 0 && !mixed)),
          exclude: ask,
          undo: mayDecide && !undo.isPending,
        }}
        onAccept={accept}
        onReject={reject}
        onSplit={leaveOpen}
        onWriteOff={writeOff}
        onExclude={() => setAsking("exclude")}
        onUndo={() => undo.start(undefined)}
      />
      {asking === "explain" && (
        <ExplainDialog
          difference={difference}
          currency={currency}
          onClose={() => setAsking(null)}
          onExplain={(kind, note) => {
            setAsking(null);
            matchByHand({ adjustments: [{ kind, amount_minor: difference, note }] });
          }}
        />
      )}
      {asking === "exclude" && line && (
        <ExcludeDialog
          line={line}
          onClose={() => setAsking(null)}
          onExclude={(reason) => {
            setAsking(null);
            decide.start({
              act: "exclude",
              line_id: line.id,
              reason,
              gone: [line.id],
              partial: false,
              done: `Excluded ${formatMoney(line.open_minor, line.currency)}`,
            });
          }}
        />
      )}
    </div>
  );
}

function countOf({ items, pages }: { items: readonly unknown[]; pages: { hasNextPage: boolean } }): string {
  return `${items.length.toLocaleString("en")}${pages.hasNextPage ? "+" : ""}`;
}

function Back({ id, tenant }: { id: string; tenant: string }) {
  return (
    <PrefetchLink href={`/${tenant}/reconciliations/${id}`} className={buttonClass({ variant: "primary" })}>
      Go to the period
    </PrefetchLink>
  );
}

function Bare({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center text-sm text-muted">
      {filtered ? <SearchX aria-hidden className="size-5" /> : <BadgeCheck aria-hidden className="size-5" />}
      <p>{filtered ? "No open line matches." : "Nothing is open on this side."}</p>
      {filtered && (
        <Button size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
