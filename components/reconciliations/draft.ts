import type { z } from "zod";
import type { Problems } from "#components/kit/problems.ts";
import type { createReconciliationContract, Reconciliation } from "#lib/reconciliations/contract.ts";

type Fields = "name" | "period_start" | "period_end" | "left_source" | "right_source" | "matched_count" | "unmatched_count";

export type ReconciliationInput = Pick<z.input<NonNullable<typeof createReconciliationContract.body>>, Fields>;

/** The fields of a reconciliation's form, with counts as text. */
export type Draft = Record<Fields, string>;

export const NEW_DRAFT: Draft = {
  name: "",
  period_start: "",
  period_end: "",
  left_source: "",
  right_source: "",
  matched_count: "0",
  unmatched_count: "0",
};

export function draftOf({
  name,
  period_start,
  period_end,
  left_source,
  right_source,
  matched_count,
  unmatched_count,
}: Reconciliation): Draft {
  return {
    name,
    period_start,
    period_end,
    left_source,
    right_source,
    matched_count: String(matched_count),
    unmatched_count: String(unmatched_count),
  };
}

/** `counted`: of one with sources the counts are computed, and not to be set. */
export function inputOf({ matched_count, unmatched_count, ...texts }: Draft, counted: boolean): ReconciliationInput {
  return counted ? texts : { ...texts, matched_count: Number(matched_count), unmatched_count: Number(unmatched_count) };
}

const COUNT = "Enter a whole number.";

/** Checks before anything is sent; the server does the rest. */
export function missingIn(draft: Draft): Problems {
  return {
    ...(draft.name.trim() === "" && { name: "Enter a name." }),
    ...(draft.period_start === "" && { period_start: "Choose the first day." }),
    ...(draft.period_end === "" && { period_end: "Choose the last day." }),
    ...(draft.left_source.trim() === "" && { left_source: "Enter a source." }),
    ...(draft.right_source.trim() === "" && { right_source: "Enter a source." }),
    ...(!/^\d+$/.test(draft.matched_count) && { matched_count: COUNT }),
    ...(!/^\d+$/.test(draft.unmatched_count) && { unmatched_count: COUNT }),
  };
}
