"use client";

import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { ExplainDialog } from "#components/kit/explain-dialog.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { type Key, useKeys } from "#components/kit/use-keys.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Segmented } from "#components/ui/segmented.tsx";
import { putRulesContract } from "#lib/matching/rules/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { ActionBar } from "./action-bar.tsx";
import { BulkDialog } from "./bulk-dialog.tsx";
import { ExcludeDialog } from "./exclude-dialog.tsx";
import { OpenSide } from "./open-side.tsx";
import type { Option } from "./options.ts";
import type { Side } from "./queries.ts";
import { workbenchSearch } from "./search.ts";
import { SuggestionPanel } from "./suggestion-panel.tsx";
import { useActions } from "./use-actions.ts";
import { useOthers } from "./use-others.ts";
import { useWorkbench } from "./use-workbench.ts";
import { BenchFilters } from "./workbench-filters.tsx";
import { BareSide, NothingOpen } from "./workbench-notices.tsx";
import { WorkbenchSkeleton } from "./workbench-skeleton.tsx";

const AlwaysDialog = dynamic(
  () => import("./always-dialog.tsx").then((part) => part.AlwaysDialog),
  { ssr: false },
);

const SIDES = ["left", "right"] as const;
const NOBODY: ReadonlySet<string> = new Set();
const PAGE_ROWS = 8;

export function Bench({ reconciliation }: { reconciliation: Reconciliation }) {
  const { id, left_source, right_source } = reconciliation;
  const mayRule = useIsAllowed(putRulesContract.access);
  const { search, set, isFiltered, clear } = useSearch(workbenchSearch, [
    "q",
    "suggested",
    "currency",
  ]);
  const bench = useWorkbench(id, search);
  const acts = useActions(id, bench);
  const { asking } = acts;
  const { line, option, picked, side } = bench;
  const [isBulk, setBulk] = useState(false);
  const [always, setAlways] = useState<{ option: Option; currency: string } | null>(null);
  const root = useRef<HTMLDivElement>(null);
  useOthers(id);

  function choose(place: number) {
    bench.clear();
    bench.choose(place);
  }
  useKeys(
    [
      ["ArrowDown", () => bench.move(1)],
      ["ArrowUp", () => bench.move(-1)],
      ["ArrowLeft", () => bench.cross("left")],
      ["ArrowRight", () => bench.cross("right")],
      ["PageDown", () => bench.move(PAGE_ROWS)],
      ["PageUp", () => bench.move(-PAGE_ROWS)],
      ["Home", () => bench.move(-bench.index)],
      ["End", () => bench.move(Number.MAX_SAFE_INTEGER)],
      ...bench.options.map((_, place): Key => [String(place + 1), () => choose(place)]),
      // A key that is held down books nothing.
      ["Enter", ({ repeat }) => !repeat && acts.accept()],
      ["r", acts.reject],
      ["s", acts.leaveOpen],
      ["w", acts.writeOff],
      ["e", acts.askToExclude],
      ["u", acts.undo],
      ["b", () => acts.mayDecide && setBulk(true)],
      ["x", () => line && bench.pick(line)],
      [" ", () => line && bench.pick(line)],
      ["Escape", bench.clear],
    ],
    { always: "[data-pane]" },
  );

  // The keyboard starts in the lists.
  const ready = bench.left.newest !== undefined && bench.right.newest !== undefined;
  useEffect(() => {
    if (ready && document.activeElement === document.body)
      root.current
        ?.querySelector<HTMLElement>("[data-pane]:not(.hidden)")
        ?.focus({ preventScroll: true });
  }, [ready]);

  const failure = bench.left.failure ?? bench.right.failure;
  if (failure)
    return (
      <ProblemNotice
        error={failure}
        onRetry={() => Promise.all([bench.left.pages.refetch(), bench.right.pages.refetch()])}
      />
    );
  if (!ready) return <WorkbenchSkeleton />;
  if (bench.left.isBare && bench.right.isBare && !isFiltered)
    return <NothingOpen reconciliation={reconciliation} />;

  const taken = picked.size === 0 && option ? new Set(option.line_ids) : NOBODY;
  return (
    <div ref={root} className="flex flex-col gap-3">
      <BenchFilters
        search={search}
        onChange={set}
        onClear={isFiltered && clear}
        lines={[...bench.left.items, ...bench.right.items]}
        onBulk={acts.mayDecide && (() => setBulk(true))}
      />
      <div className="md:hidden">
        <Segmented
          label="Side"
          value={side}
          options={SIDES.map((value) => ({
            value,
            label: `${value === "left" ? "Left" : "Right"} · ${countOf(bench[value])}`,
          }))}
          onChange={(to) => bench.go(to, 0)}
        />
      </div>
      <div className="flex flex-col overflow-hidden rounded-lg border border-line md:h-[calc(100dvh-13.5rem)] md:min-h-96 short:md:min-h-[31rem] xl:flex-row">
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
              bare={<BareSide filtered={isFiltered} onClear={clear} />}
              onCursor={(index) => bench.go(one, index)}
              onPick={(index) => {
                const item = bench[one].items[index];
                if (item) bench.pick(item);
              }}
              onEndNear={bench[one].loadMore}
            />
          ))}
        </div>
        <SuggestionPanel
          bench={bench}
          lines={acts.lines}
          currency={acts.currency}
          mayWrite={acts.mayWrite}
          onAlways={mayRule && (() => option && setAlways({ option, currency: acts.currency }))}
        />
      </div>
      <ActionBar
        sums={acts.sums}
        fees={acts.fees}
        count={acts.ids.length}
        can={acts.can}
        onAccept={acts.accept}
        onReject={acts.reject}
        onSplit={acts.leaveOpen}
        onWriteOff={acts.writeOff}
        onExclude={acts.askToExclude}
        onUndo={acts.undo}
      />
      {asking?.to === "explain" && (
        <ExplainDialog
          difference={asking.chosen.difference}
          currency={asking.chosen.currency}
          onClose={acts.stopAsking}
          onExplain={(kind, note) => acts.explain(asking.chosen, kind, note)}
        />
      )}
      {asking?.to === "exclude" && (
        <ExcludeDialog
          line={asking.line}
          onClose={acts.stopAsking}
          onExclude={(reason) => acts.exclude(asking.line, reason)}
        />
      )}
      {isBulk && <BulkDialog id={id} undoing={acts.undoing} onClose={() => setBulk(false)} />}
      {always && (
        <AlwaysDialog reconciliation={reconciliation} {...always} onClose={() => setAlways(null)} />
      )}
    </div>
  );
}

function countOf({
  items,
  pages,
}: {
  items: readonly unknown[];
  pages: { hasNextPage: boolean };
}): string {
  return `${items.length.toLocaleString("en")}${pages.hasNextPage ? "+" : ""}`;
}
