import type { Estimates } from "../../../engine/evidence/estimates.ts";
import type { OpenDays } from "../../../engine/prepare/days.ts";
import type { Reason } from "../../../engine/reasons.ts";
import type { Rule } from "../../../engine/rules.ts";
import type { Weights } from "../../../engine/weights.ts";

/** The settings of a pair besides its rules (lib/matching/rules/contract.ts). */
export type Policy = {
  automatic: "suggest_only" | "earned" | "always";
  fees: "deduct" | "ignore";
  exceptions: {
    assigned_to: string | null;
    most_a_run: number;
    severities: { from_minor: number; severity: string }[];
  };
};

/** The stored results of the run before a short run (private.runs). */
export type LastRun = Books & {
  exceptions_held_back: number;
  changed: { added: number; kept: number; replaced: number };
};

/** What a period's books come to; each run's row has it. */
export type Books = {
  digest: string;
  waterfall: {
    kind: string;
    rule: string;
    matches: number;
    suggested: number;
    left_lines: number;
    right_lines: number;
    amounts: { currency: string; left_minor: number | string; right_minor: number | string }[];
  }[];
  suggested_count: number;
};

/** A run that this process has claimed. */
export type ClaimedRun = {
  tenantId: string;
  reconciliationId: string;
  runId: string;
  /** The number of this attempt at the run: the database refuses writes of earlier attempts. */
  attempt: number;
  pairNo: number;
  /** How many lines the pair's sources have, open or not. */
  lines: number;
  /** `YYYY-MM-DD` */
  periodEnd: string;
  /** Whether the period is closed, which only a dry run accepts. */
  closed: boolean;
  rules: readonly Rule[];
  policy: Policy;
  /**
   * The calendar by which business days are counted, in the version that the run records; null:
   * Monday to Friday.
   */
  openDays: OpenDays | null;
  weights: Weights | null;
  /** Whether the run stores only its impact. */
  dryRun: boolean;
  /** Whether matches of earlier runs are also weighed again. */
  whole: boolean;
  /**
   * Set if the only news is exceptions that the last run held back: the reasons of open lines other
   * than a missing counterpart.
   */
  heldBack: Readonly<Record<number, Reason>> | null;
  /** The last run, if since then only lines were added, and few enough to decide them first. */
  shortAfter: LastRun | null;
  /** Whether the estimates of a full run are stored. */
  keepsEstimates: boolean;
  /** What the new lines may be weighed by; null: only a full run weighs them. */
  known: Known | null;
};

/**
 * The estimates of the last full run, the maximum number of lines that may still be weighed by
 * them, and why lines are open whose exceptions were held back.
 */
export type Known = {
  estimates: Estimates;
  max_lines: number;
  reasons: Readonly<Record<number, Reason>>;
};
