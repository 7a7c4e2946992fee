import { personName } from "#components/people/person.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import type { BoardPair, BoardPeriod, NextPeriod } from "#lib/matching/closing-board/contract.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";

/** The periods that open for a pair, earliest first, and the newest one that it has. */
export type Opening = {
  sources: Sources;
  /** The ID of the pair's newest period. */
  follows: string;
  periods: NextPeriod[];
};

/** The periods that would open, by pair. */
export function openingsOf(items: readonly NextPeriod[]): Opening[] {
  const openings = new Map<string, Opening>();
  for (const item of items) {
    const known = openings.get(item.follows);
    if (known) known.periods.push(item);
    else
      openings.set(item.follows, {
        sources: { left_source: item.left_source, right_source: item.right_source },
        follows: item.follows,
        periods: [item],
      });
  }
  return [...openings.values()];
}

export function newestPeriodOf(
  pairs: readonly BoardPair[],
  follows: string,
): BoardPeriod | undefined {
  return pairs
    .flatMap(({ periods }) => periods)
    .find(({ reconciliation_id }) => reconciliation_id === follows);
}

type Sources = Pick<NextPeriod, "left_source" | "right_source">;

/** "10 open lines are carried over: Bank €4,850.00, Ledger €120.00." */
export function describeCarried(
  { open_lines, open_money }: Pick<BoardPeriod, "open_lines" | "open_money">,
  sources: Sources,
): string {
  if (open_lines === 0) return "No open lines to carry over.";
  const money = open_money.map(
    ({ currency, side, open_minor }) =>
      `${sources[`${side}_source`]} ${formatMoney(open_minor, currency)}`,
  );
  const lines = pluralize(open_lines, "open line is", "open lines are");
  return `${lines} carried over${money.length > 0 ? `: ${money.join(", ")}` : ""}.`;
}

type Taken = Pick<RuleSet, "version" | "rules" | "review_levels" | "four_eyes" | "exceptions">;

/** "5 rules, version 3", "2 reviews and a second person to close", "Exceptions go to leo". */
export function describeRules({
  version,
  rules,
  review_levels,
  four_eyes,
  exceptions,
}: Taken): string[] {
  const signers = [
    review_levels > 0 && pluralize(review_levels, "review"),
    four_eyes && "a second person to close",
  ].filter(Boolean);
  const { assigned_to } = exceptions;
  return [
    `${pluralize(rules.length, "rule")}, ${version ? `version ${version}` : "the defaults"}`,
    signers.length > 0 ? `Needs ${signers.join(" and ")}` : "Needs no review",
    assigned_to ? `Exceptions go to ${personName(assigned_to)}` : "Exceptions stay unassigned",
  ];
}
