import type { Reconciliation } from "#lib/reconciliations/contract.ts";

/**
 * The periods of a pair that entry rules can be tried on, newest first. `first`: the last closed
 * one, or the current one if none is closed.
 */
export function previewPeriods(
  listed: readonly Reconciliation[],
  current: Reconciliation,
): { periods: Reconciliation[]; first: Reconciliation } {
  const isListed = listed.some(({ id }) => id === current.id);
  const periods = [...listed, ...(isListed ? [] : [current])].sort((left, right) =>
    right.period_end.localeCompare(left.period_end),
  );
  return { periods, first: periods.find(({ closed_at }) => closed_at !== null) ?? current };
}
