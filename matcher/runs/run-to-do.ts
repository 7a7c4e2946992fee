import type { Rule } from "../engine/rules.ts";
import type { Weights } from "../engine/weights.ts";

/** What goes with the rules of a pair (lib/matching/rules/contract.ts). */
export type Policy = {
  automatic: "suggest_only" | "earned" | "always";
  exceptions: { assigned_to: string | null; most_a_run: number; severities: { from_minor: number; severity: string }[] };
};

/** A run that was taken up. */
export type RunToDo = {
  tenantId: string;
  reconciliationId: string;
  runId: string;
  pairNo: number;
  /** `YYYY-MM-DD` */
  periodEnd: string;
  rules: readonly Rule[];
  policy: Policy;
  weights: Weights | null;
  /** Keeps nothing. */
  dryRun: boolean;
  /** All that the engine made is weighed again. */
  whole: boolean;
};
