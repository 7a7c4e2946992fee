import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { formatMoney, plainMoney } from "#components/ui/money.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { currenciesOf } from "./matching/waterfall.ts";
import { sourceOf } from "./queries.ts";

/** How amounts that hold for all lines of a pair are typed and shown. */
export type PairCurrency = {
  /** Its decimals are used, also for a pair with several currencies. */
  code: string;
  /** Whether all lines have this currency. */
  isOnly: boolean;
};

/** The currency of a pair's lines, or, before a run has seen any, of its sources. */
export function pairCurrency(
  ofLines: readonly string[],
  ofSources: readonly (string | undefined)[],
): PairCurrency {
  const known = ofSources.filter((code) => code !== undefined);
  const all = new Set(ofLines.length > 0 ? ofLines : known);
  return { code: [...all][0] ?? "EUR", isOnly: all.size === 1 };
}

export function usePairCurrency(
  { left_source_id, right_source_id }: Reconciliation,
  run: Run | null,
): PairCurrency {
  const left = useCurrency(left_source_id);
  const right = useCurrency(right_source_id);
  return pairCurrency(run ? currenciesOf(run) : [], [left, right]);
}

function useCurrency(id: string | null): string | undefined {
  const tenant = useTenantId();
  return useQuery({ ...sourceOf(tenant, id ?? ""), enabled: id !== null }).data?.currency;
}

/** An amount of a rule: "€1.00", or "1.00" if lines of several currencies are compared with it. */
export function pairMoney(minor: number, { code, isOnly }: PairCurrency): string {
  return isOnly ? formatMoney(minor, code) : plainMoney(minor, code);
}

/** Explains amounts without a currency. */
export const EACH_CURRENCY = "In the currency of each line.";
