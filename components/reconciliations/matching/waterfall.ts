import type { SuggestionBands } from "#lib/matching/bands/contract.ts";
import type { Proof } from "#lib/matching/periods/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";

export type Sum = number | string;
type Amount = { currency: string; left_minor: Sum; right_minor: Sum };

/**
 * A step of a run: what it settled of the lines left by the steps before it. `from`, `to`: its
 * position between 0 and 1 of all lines. `amounts`: its money by currency; null if unknown.
 */
export type Step = {
  key: string;
  kind: "all" | "rule" | "people" | "excluded" | "suggested" | "open";
  name: string;
  lines: number;
  matches: number | null;
  suggested: number;
  amounts: readonly Amount[] | null;
  from: number;
  to: number;
};

type Counts = Pick<
  Reconciliation,
  "matched_count" | "unmatched_count" | "excluded_count" | "closed_at"
>;
/** Data from outside of the run: the period's sums, and the number of open lines in suggestions. */
type Known = { proof?: Pick<Proof, "items">; suggested?: SuggestionBands["suggested"] };

/**
 * The run's rules in their order, from all lines to the open ones. What people matched or excluded,
 * also after the run, are separate steps; for a closed period the run has them as of its close.
 */
export function waterfallOf(
  run: Pick<Run, "waterfall">,
  { matched_count, unmatched_count, excluded_count, closed_at }: Counts,
  { proof, suggested = [] }: Known = {},
): Step[] {
  const waterfall = run.waterfall.filter(({ kind }) => kind === "rule");
  const byRules = linesOf(waterfall);
  const people = run.waterfall.filter(({ kind }) => kind === "people");
  const isComplete = closed_at !== null && people.length > 0;
  const byPeople = isComplete ? linesOf(people) : Math.max(0, matched_count - byRules);
  const out = isComplete
    ? linesOf(run.waterfall.filter(({ kind }) => kind === "excluded"))
    : excluded_count;
  const total = byRules + byPeople + out + unmatched_count;
  const suggestedLines = Math.min(
    unmatched_count,
    suggested.reduce((sum, { line_count }) => sum + line_count, 0),
  );
  const share = (lines: number) => (total === 0 ? 0 : lines / total);
  let settled = 0;
  const step = (own: Pick<Step, "key" | "kind" | "name" | "lines"> & Partial<Step>): Step => {
    const from = share(settled);
    settled += own.lines;
    return { matches: null, suggested: 0, amounts: null, ...own, from, to: share(settled) };
  };
  const ruled = waterfall.flatMap(({ amounts }) => amounts);
  const proposed = amountsOf(suggested, ({ open_minor }) => open_minor);
  const matched = proof && amountsOf(proof.items, (item) => item.matched);
  const open = proof && amountsOf(proof.items, (item) => item.open);
  const excluded = proof && amountsOf(proof.items, (item) => item.excluded);
  return [
    {
      key: "all",
      kind: "all",
      name: "All lines",
      lines: total,
      matches: null,
      suggested: 0,
      amounts: matched && open && excluded ? added([...matched, ...open, ...excluded]) : null,
      from: 0,
      to: 1,
    },
    ...waterfall.map(({ rule, matches, suggested, left_lines, right_lines, amounts }) =>
      step({
        key: `rule:${rule}`,
        kind: "rule",
        name: rule,
        lines: left_lines + right_lines,
        matches,
        suggested,
        amounts,
      }),
    ),
    ...(byPeople > 0
      ? [
          step({
            key: "people",
            kind: "people",
            name: "Matched by people",
            lines: byPeople,
            amounts: matched ? added([...matched, ...negated(ruled)]) : null,
          }),
        ]
      : []),
    ...(out > 0
      ? [
          step({
            key: "excluded",
            kind: "excluded",
            name: "Excluded",
            lines: out,
            amounts: excluded ?? null,
          }),
        ]
      : []),
    ...(suggestedLines > 0
      ? [
          step({
            key: "suggested",
            kind: "suggested",
            name: "Suggested",
            lines: suggestedLines,
            amounts: proposed,
          }),
        ]
      : []),
    step({
      key: "open",
      kind: "open",
      name: suggestedLines > 0 ? "Open, no suggestion" : "Open",
      lines: unmatched_count - suggestedLines,
      amounts: open ? added([...open, ...negated(proposed)]) : null,
    }),
  ];
}

function linesOf(steps: Run["waterfall"]): number {
  return steps.reduce((sum, { left_lines, right_lines }) => sum + left_lines + right_lines, 0);
}

/** The currencies of its lines. */
export function currenciesOf(
  { waterfall }: Pick<Run, "waterfall">,
  { proof }: Known = {},
): string[] {
  const all = [...waterfall.flatMap(({ amounts }) => amounts), ...(proof?.items ?? [])];
  return [...new Set(all.map(({ currency }) => currency))].sort();
}

function amountsOf<Item extends { currency: string; side: "left" | "right" }>(
  items: readonly Item[],
  of: (item: Item) => Sum,
): Amount[] {
  return added(
    items.map((item) => ({
      currency: item.currency,
      left_minor: item.side === "left" ? of(item) : 0,
      right_minor: item.side === "right" ? of(item) : 0,
    })),
  );
}

/** One amount per currency. */
function added(amounts: readonly Amount[]): Amount[] {
  const sums = new Map<string, Amount>();
  for (const { currency, left_minor, right_minor } of amounts) {
    const now = sums.get(currency) ?? { currency, left_minor: 0, right_minor: 0 };
    sums.set(currency, {
      currency,
      left_minor: plus(now.left_minor, left_minor),
      right_minor: plus(now.right_minor, right_minor),
    });
  }
  return [...sums.values()];
}

function negated(amounts: readonly Amount[]): Amount[] {
  const negative = (sum: Sum) => exact(-BigInt(sum));
  return amounts.map(({ currency, left_minor, right_minor }) => ({
    currency,
    left_minor: negative(left_minor),
    right_minor: negative(right_minor),
  }));
}

function plus(a: Sum, b: Sum): Sum {
  return exact(BigInt(a) + BigInt(b));
}

/** A number if it is exact, otherwise its digits: the form in which the API returns sums. */
function exact(sum: bigint): Sum {
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum.toString();
}
