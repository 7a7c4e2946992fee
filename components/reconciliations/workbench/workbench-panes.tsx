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
import { useOtherDecisions } from "./use-other-decisions.ts";
import { useWorkbench } from "./use-workbench.ts";
import { WorkbenchFilters } from "./workbench-filters.tsx";
import { EmptySide, NothingToDecide } from "./workbench-notices.tsx";
import { WorkbenchSkeleton } from "./workbench-skeleton.tsx";

const AlwaysDialog = dynamic(
  () => import("./always-dialog.tsx").then((part) => part.AlwaysDialog),
  { ssr: false },
);

const SIDES = ["left", "right"] as const;
const NOBODY: ReadonlySet<string> = new Set();
const PAGE_ROWS = 8;

export function WorkbenchPanes({ reconciliation }: { reconciliation: Reconciliation }) {
  const { id, left_source, right_source } = reconciliation;
  const mayRule = useIsAllowed(putRulesContract.access);
  const { search, set, isFiltered, clear } = useSearch(workbenchSearch, [
    "q",
    "suggested",
    "currency",
  ]);
  const workbench = useWorkbench(id, search);
  const actions = useActions(id, workbench);
  const { asking } = actions;
  const { line, option, picked, side } = workbench;
  const [isBulk, setBulk] = useState(false);
  const [always, setAlways] = useState<{ option: Option; currency: string } | null>(null);
  const root = useRef<HTMLDivElement>(null);
  useOtherDecisions(id);

  function choose(place: number) {
    workbench.clear();
    workbench.choose(place);
  }
  useKeys(
    [
      ["ArrowDown", () => workbench.move(1)],
      ["ArrowUp", () => workbench.move(-1)],
      ["ArrowLeft", () => workbench.cross("left")],
      ["ArrowRight", () => workbench.cross("right")],
      ["PageDown", () => workbench.move(PAGE_ROWS)],
      ["PageUp", () => workbench.move(-PAGE_ROWS)],
      ["Home", () => workbench.move(-workbench.index)],
      ["End", () => workbench.move(Number.MAX_SAFE_INTEGER)],
      ...workbench.options.map((_, place): Key => [String(place + 1), () => choose(place)]),
      // A key that is held down must not confirm further lines.
      ["Enter", ({ repeat }) => !repeat && actions.accept()],
      ["r", actions.reject],
      ["s", actions.leaveOpen],
      ["w", actions.writeOff],
      ["e", actions.askToExclude],
      ["u", actions.undo],
      ["b", () => actions.mayDecide && setBulk(true)],
      ["x", () => line && workbench.pick(line)],
      [" ", () => line && workbench.pick(line)],
      ["Escape", workbench.clear],
    ],
    { always: "[data-pane]" },
  );

  // The keyboard starts in the lists.
  const ready = workbench.left.newest !== undefined && workbench.right.newest !== undefined;
  useEffect(() => {
    if (ready && document.activeElement === document.body)
      root.current
        ?.querySelector<HTMLElement>("[data-pane]:not(.hidden)")
        ?.focus({ preventScroll: true });
  }, [ready]);

  const failure = workbench.left.failure ?? workbench.right.failure;
  if (failure)
    return (
      <ProblemNotice
        error={failure}
        onRetry={() =>
          Promise.all([workbench.left.pages.refetch(), workbench.right.pages.refetch()])
        }
      />
    );
  if (!ready) return <WorkbenchSkeleton />;
  if (workbench.left.isBare && workbench.right.isBare && !isFiltered)
    return <NothingToDecide reconciliation={reconciliation} />;

  const includedIds = picked.size === 0 && option ? new Set(option.line_ids) : NOBODY;
  return (
    <div ref={root} className="flex flex-col gap-3">
      <WorkbenchFilters
        search={search}
        onChange={set}
        onClear={isFiltered && clear}
        lines={[...workbench.left.items, ...workbench.right.items]}
        onBulk={actions.mayDecide && (() => setBulk(true))}
      />
      <div className="md:hidden">
        <Segmented
          label="Side"
          value={side}
          options={SIDES.map((value) => ({
            value,
            label: `${value === "left" ? "Left" : "Right"} · ${countOf(workbench[value])}`,
          }))}
          onChange={(to) => workbench.go(to, 0)}
        />
      </div>
      <div className="flex flex-col overflow-hidden rounded-lg border border-line md:h-[calc(100dvh-13.5rem)] md:min-h-96 short:md:min-h-[31rem] xl:flex-row">
        <div className="flex min-h-0 min-w-0 flex-1 divide-x divide-line max-md:h-[42dvh] max-md:min-h-56">
          {SIDES.map((other: Side) => (
            <OpenSide
              key={other}
              side={other}
              title={other === "left" ? left_source : right_source}
              hint={`${countOf(workbench[other])} open`}
              items={workbench[other].items}
              active={side === other}
              cursor={side === other && line ? workbench.index : null}
              chosen={includedIds}
              picked={new Set(picked.keys())}
              stale={workbench[other].isStale}
              hidden={side !== other}
              bare={<EmptySide filtered={isFiltered} onClear={clear} />}
              onCursor={(index) => workbench.go(other, index)}
              onPick={(index) => {
                const item = workbench[other].items[index];
                if (item) workbench.pick(item);
              }}
              onEndNear={workbench[other].loadMore}
            />
          ))}
        </div>
        <SuggestionPanel
          bench={workbench}
          lines={actions.lines}
          currency={actions.currency}
          mayWrite={actions.mayWrite}
          onAlways={mayRule && (() => option && setAlways({ option, currency: actions.currency }))}
        />
      </div>
      <ActionBar
        sums={actions.sums}
        fees={actions.fees}
        count={actions.ids.length}
        can={actions.can}
        onAccept={actions.accept}
        onReject={actions.reject}
        onSplit={actions.leaveOpen}
        onWriteOff={actions.writeOff}
        onExclude={actions.askToExclude}
        onUndo={actions.undo}
      />
      {asking?.to === "explain" && (
        <ExplainDialog
          difference={asking.chosen.difference}
          currency={asking.chosen.currency}
          onClose={actions.closeDialog}
          onExplain={(kind, note) => actions.explain(asking.chosen, kind, note)}
        />
      )}
      {asking?.to === "exclude" && (
        <ExcludeDialog
          line={asking.line}
          onClose={actions.closeDialog}
          onExclude={(reason) => actions.exclude(asking.line, reason)}
        />
      )}
      {isBulk && <BulkDialog id={id} undoing={actions.undoing} onClose={() => setBulk(false)} />}
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
