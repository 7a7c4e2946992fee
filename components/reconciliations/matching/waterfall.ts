import type { Run } from "#lib/matching/runs/contract.ts";

export type Sum = number | string;

/**
 * A step of a run: what it settles of the lines that the steps before it left. `from`, `to`: its place between 0 and 1 of all lines.
 * `amounts`: the left side's money by currency; null where it isn't known.
 */
export type Step = {
  key: string;
  kind: "all" | "rule" | "people" | "open";
  name: string;
  lines: number;
  matches: number | null;
  suggested: number;
  amounts: readonly { currency: string; left_minor: Sum; right_minor: Sum }[] | null;
  from: number;
  to: number;
};

type Counts = { matched_count: number; unmatched_count: number };

/** The run's rules in their order, from all lines to those that are open. What people matched since is a step of its own. */
export function waterfallOf({ waterfall }: Pick<Run, "waterfall">, { matched_count, unmatched_count }: Counts): Step[] {
  const byRules = waterfall.reduce((sum, { left_lines, right_lines }) => sum + left_lines + right_lines, 0);
  const byPeople = Math.max(0, matched_count - byRules);
  const total = byRules + byPeople + unmatched_count;
  const share = (lines: number) => (total === 0 ? 0 : lines / total);
  let settled = 0;
  const step = (own: Pick<Step, "key" | "kind" | "name" | "lines"> & Partial<Step>): Step => {
    const from = share(settled);
    settled += own.lines;
    return { matches: null, suggested: 0, amounts: null, ...own, from, to: share(settled) };
  };
  return [
    { key: "all", kind: "all", name: "All lines", lines: total, matches: null, suggested: 0, amounts: null, from: 0, to: 1 },
    ...waterfall.map(({ rule, matches, suggested, left_lines, right_lines, amounts }) =>
      step({ key: `rule:${rule}`, kind: "rule", name: rule, lines: left_lines + right_lines, matches, suggested, amounts }),
    ),
    ...(byPeople > 0 ? [step({ key: "people", kind: "people", name: "Matched by people", lines: byPeople })] : []),
    step({ key: "open", kind: "open", name: "Open", lines: unmatched_count }),
  ];
}

/** The currencies that its rules matched money of. */
export function currenciesOf({ waterfall }: Pick<Run, "waterfall">): string[] {
  return [...new Set(waterfall.flatMap(({ amounts }) => amounts.map(({ currency }) => currency)))].sort();
}
