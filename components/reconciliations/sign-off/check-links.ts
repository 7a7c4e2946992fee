import { formatShortDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Checklist, PeriodCheck } from "#lib/matching/sign-off/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";

export type CheckLink = { href: string; label: string };

type Coverage = Checklist["sources"][number];
type Period = Pick<Reconciliation, "id" | "left_source_id" | "right_source_id">;

/** The pages with the rows that are in the way of a check, each on the side that it is about. */
export function checkLinks(
  tenant: string,
  { id, ...sides }: Period,
  check: PeriodCheck["check"],
  sources: readonly Coverage[],
): CheckLink[] {
  const period = `/${tenant}/reconciliations/${id}`;
  const pageOf = ({ side }: Coverage) => `/${tenant}/sources/${sides[`${side}_source_id`]}`;
  switch (check) {
    case "files":
      return sources
        .filter(({ missing_days }) => missing_days > 0)
        .map((source) => ({
          href: `${pageOf(source)}/import`,
          label: `Import a file of ${source.name}`,
        }));
    case "balances":
      return sources
        .filter(({ has_balance, breaks }) => !has_balance || breaks.length > 0)
        .map((source) => ({
          href: pageOf(source),
          label: source.has_balance
            ? `View the balances of ${source.name}`
            : `State a balance of ${source.name}`,
        }));
    case "suggestions":
      return [{ href: `${period}/workbench`, label: "Review them" }];
    case "exceptions":
      return [{ href: `/${tenant}/exceptions?reconciliation_id=${id}`, label: "View them" }];
    case "difference":
      return [{ href: `${period}/statement`, label: "View the statement" }];
    case "evidence":
      return [
        { href: `${period}/matches?missing_evidence=true`, label: "View matches without evidence" },
      ];
    case "second_person":
      return [{ href: `${period}/matches?state=confirmed`, label: "View the matches" }];
    case "period_over":
    case "signatures":
      return [];
  }
}

/** "Bank: a statement is missing between 10 Oct and 20 Oct, -€20.00", for each gap or overlap. */
export function breakTexts(sources: readonly Coverage[], currencies: SideCurrencies): string[] {
  return sources.flatMap(({ side, name, breaks }) =>
    breaks.map(({ kind, from, to, minor }) => {
      const [first, last] = [from, to].map((day) => formatShortDay(day, "UTC"));
      const what = kind === "gap" ? "a statement is missing between" : "statements overlap between";
      const currency = currencies[side];
      const amount = currency && BigInt(minor) !== 0n ? `, ${formatMoney(minor, currency)}` : "";
      return `${name}: ${what} ${first} and ${last}${amount}`;
    }),
  );
}

/** The currency of each side's source, once it is known. */
export type SideCurrencies = { left?: string; right?: string };
