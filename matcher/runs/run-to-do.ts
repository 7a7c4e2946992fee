import type { OpenDays } from "../engine/prepare/days.ts";
import type { Rule } from "../engine/rules.ts";
import type { Weights } from "../engine/weights.ts";

/** What goes with the rules of a pair (lib/matching/rules/contract.ts). */
export type Policy = {
  automatic: "suggest_only" | "earned" | "always";
  fees: "deduct" | "ignore";
  exceptions: { assigned_to: string | null; most_a_run: number; severities: { from_minor: number; severity: string }[] };
};

/** A run that was taken up. */
export type RunToDo = {
  tenantId: string;
  reconciliationId: string;
  runId: string;
  /** Which taking up of the run this is: what an older one writes is refused. */
  attempt: number;
  pairNo: number;
  /** Of the pair's sources, whatever became of them. */
  lines: number;
  /** `YYYY-MM-DD` */
  periodEnd: string;
  /** Of a dry run: the period is closed. */
  closed: boolean;
  rules: readonly Rule[];
  policy: Policy;
  /** Of the calendar that business days are counted by, in the version that the run records; null: Monday to Friday. */
  openDays: OpenDays | null;
  weights: Weights | null;
  /** Keeps nothing. */
  dryRun: boolean;
  /** All that the engine made is weighed again. */
  whole: boolean;
};
