import type { Client } from "pg";
import { type Step, traced } from "#lib/runtime/trace.ts";
import { ENGINE_VERSION } from "../../../engine/content-hash.ts";
import { type Result, run as runRules } from "../../../engine/engine.ts";
import type { OpenDays } from "../../../engine/prepare/days.ts";
import type { Reason } from "../../../engine/reasons.ts";
import { DEFAULT_RULES } from "../../../engine/rules.ts";
import { type Decision, learn, type Weights } from "../../../engine/weights.ts";
import { call, callForValue } from "./call.ts";
import { changesOf } from "./changes.ts";
import type { ClaimedRun, Known, LastRun, Policy } from "./claimed-run.ts";
import { exactSum, impactOf } from "./impact.ts";
import { openLineExceptions, reasonsIn, storedReasons, unusualReasons } from "./line-exceptions.ts";
import { readRun } from "./read-run.ts";
import { reportViolations } from "./report-violations.ts";
import { saveChanges } from "./save-changes.ts";
import { settleBoth } from "./settle-both.ts";
import { doShortRun } from "./short-run.ts";
import { refreshStatistics, withStatementTimeout } from "./statement-timeout.ts";
import { businessDaysIn, inputOf, inSlices, type Report, requireInvariants } from "./weigh.ts";

export type RunKey = { tenant_id: string; reconciliation_id: string; run_id: string | null };

/** A run and the number of the current attempt at it. */
export type Attempt = Pick<ClaimedRun, "runId" | "attempt">;

type BegunRun = {
  run_id: string;
  attempt: number;
  pair_no: number;
  lines: number;
  period_end: string;
  closed: boolean;
  dry_run: object | null;
  rules: ClaimedRun["rules"] | null;
  policy: Policy;
  open_days: OpenDays | null;
  weights: Weights | null;
  whole: boolean;
  held_back: Record<number, Reason> | null;
  short_after: LastRun | null;
  keeps_estimates: boolean;
  known: Known | null;
};

/** The maximum number of decisions that are read at a time. */
const MAX_DECISIONS = 2_000;
const REPORT_INTERVAL_MS = 500;

/**
 * Runs the rules over a period: learns from people's decisions, matches, saves the changes, opens
 * exceptions and checks the result.
 * @param client the connection that does the work
 * @param progressClient the connection that reports progress
 * @param onBegin called with the run and its attempt; not called if no run waits
 * @throws ApiError `conflict` if the result violates an invariant: nothing was saved, and a retry
 *   would give the same result
 */
export async function doRun(
  client: Client,
  progressClient: Client,
  key: RunKey,
  onBegin: (run: Attempt) => void,
  stop?: AbortSignal,
): Promise<void> {
  const run = await begin(client, key);
  if (!run) return;
  onBegin({ runId: run.runId, attempt: run.attempt });
  if (run.heldBack) return openHeldBackExceptions(client, run, storedReasons(run.heldBack));
  const progress = new Progress(progressClient, run, stop);
  const report: Report = (one, now) => progress.report(one, now);
  const short = await traced(sqlStep("decide new lines", run), () =>
    doShortRun(client, progressClient, run, async () => stop?.throwIfAborted()),
  );
  if (!short) return;
  if (!run.dryRun) run.weights = await learnDecisions(client, run);
  await refreshStatistics(client, run.tenantId);
  const input = await traced(sqlStep("read lines", run), () =>
    withStatementTimeout(client, run, () => readRun(client, run)),
  );
  const total = input.left.length + input.right.length;
  await report({ stage: run.rules[0]?.name ?? "rules", done: 0, total }, true);
  const result = await traced(engineStep(run, input), () =>
    inSlices(runRules(inputOf(run, input)), total, report),
  );
  requireInvariants(run, result);
  const changes = changesOf(result, input.present, input.fees);
  if (run.dryRun) {
    const { newly, no_longer, ...impact } = impactOf(result, changes, input);
    const { tenantId: tenant, reconciliationId: reconciliation } = run;
    const exceptions = await withStatementTimeout(client, run, () =>
      callForValue<object>(client, "exceptions_at_stake", {
        tenant,
        reconciliation,
        matched: newly,
        opened: no_longer,
      }),
    );
    const outcome = {
      impact: { ...impact, exceptions },
      waterfall: waterfallOf(result),
      digest: result.digest,
      suggested_count: result.suggested.length,
      open_count: result.waterfall.open_count.left + result.waterfall.open_count.right,
    };
    await call(client, "finish_dry_run", { ...attemptOf(run), outcome: JSON.stringify(outcome) });
    return;
  }
  const leftOut = await traced(sqlStep("save_matches", run), () =>
    saveChanges(client, run, result, changes, input.fees, (done, all) =>
      report({ stage: "keeping", done, total: all }),
    ),
  );
  await report({ stage: "exceptions", done: 0, total: 0 });
  await refreshStatistics(client, run.tenantId);
  const [{ opened, heldBack }, totals] = await settleBoth(
    traced(sqlStep("open_line_exceptions", run), () =>
      withStatementTimeout(client, run, () => openLineExceptions(client, run, reasonsIn(result))),
    ),
    traced(sqlStep("run_totals", run), () =>
      withStatementTimeout(progressClient, run, () => totalsOf(progressClient, run)),
    ),
  );
  const replaced = changes.created.filter((match) => match.replaces).length;
  const outcome = {
    changed: {
      added: short.added + changes.created.length - replaced - leftOut,
      kept: changes.unchanged,
      replaced,
      undone: short.undone + changes.removed.length,
      left_out: leftOut,
    },
    exceptions_opened: opened,
    exceptions_held_back: heldBack,
    ...(heldBack > 0 && { held_back_reasons: unusualReasons(result) }),
    ...(run.keepsEstimates && { estimates: result.estimates }),
  };
  const storedViolations = await traced(sqlStep("finish_run", run), () =>
    withStatementTimeout(client, run, () =>
      callForValue<string[]>(client, "finish_run", {
        ...attemptOf(run),
        totals: JSON.stringify(totals),
        outcome: JSON.stringify(outcome),
      }),
    ),
  );
  reportViolations(run, storedViolations);
}

/** Digest, counts, waterfall and violated invariants, computed from the books. */
const totalsOf = (client: Client, { tenantId, reconciliationId, runId, rules }: ClaimedRun) =>
  callForValue<object>(client, "run_totals", {
    tenant: tenantId,
    reconciliation: reconciliationId,
    run: runId,
    rules: rules.map(({ name }) => name),
  });

/** Completes a run for which only held-back exceptions are new since the last run. */
async function openHeldBackExceptions(
  client: Client,
  run: ClaimedRun,
  reasonsOf: ReturnType<typeof storedReasons>,
): Promise<void> {
  const { opened, heldBack } = await traced(sqlStep("open_line_exceptions", run), () =>
    withStatementTimeout(client, run, () => openLineExceptions(client, run, reasonsOf)),
  );
  await call(client, "finish_unchanged_run", {
    ...attemptOf(run),
    opened,
    held_back: heldBack,
  });
}

const sqlStep =
  (name: string, { runId }: ClaimedRun) =>
  (): Step => ({
    name,
    kind: "client",
    attributes: { "db.system.name": "postgresql", "tieout.run_id": runId },
  });

const engineStep =
  ({ runId }: ClaimedRun, { left, right }: Awaited<ReturnType<typeof readRun>>) =>
  (): Step => ({
    name: "match lines",
    kind: "internal",
    attributes: { "tieout.run_id": runId, "tieout.lines": left.length + right.length },
  });

async function begin(client: Client, key: RunKey): Promise<ClaimedRun | null> {
  const begun = await callForValue<BegunRun | null>(client, "begin_run", {
    tenant: key.tenant_id,
    reconciliation: key.reconciliation_id,
    asked: key.run_id,
    engine: ENGINE_VERSION,
  });
  if (!begun) return null;
  return {
    tenantId: key.tenant_id,
    reconciliationId: key.reconciliation_id,
    runId: begun.run_id,
    attempt: begun.attempt,
    pairNo: begun.pair_no,
    lines: begun.lines,
    periodEnd: begun.period_end,
    closed: begun.closed,
    rules: begun.rules ?? DEFAULT_RULES,
    policy: begun.policy,
    openDays: begun.open_days,
    weights: begun.weights,
    dryRun: begun.dry_run !== null,
    whole: begun.whole,
    heldBack: begun.held_back,
    shortAfter: begun.short_after,
    keepsEstimates: begun.keeps_estimates,
    known: begun.known,
  };
}

/**
 * Learns from every decision, because a remaining one would prevent the next run from being short.
 */
async function learnDecisions(client: Client, run: ClaimedRun): Promise<Weights | null> {
  const { tenantId: tenant, pairNo: pair } = run;
  let { weights } = run;
  for (let learnedUpTo = 0; ; ) {
    const decisions = await callForValue<
      ({ id: number; left: Decision["left"] | null; right: Decision["right"] | null } & Decision)[]
    >(client, "decisions_to_learn", { tenant, pair, most: MAX_DECISIONS });
    const last = decisions.at(-1);
    // If rules were changed during the run, nothing is stored, and the next run learns from these
    // again.
    if (!last || last.id <= learnedUpTo) return weights;
    weights = learn(
      weights,
      decisions.filter(({ left, right }) => left && right),
      businessDaysIn(run),
    );
    await call(client, "save_weights", {
      ...attemptOf(run),
      pair,
      weights: JSON.stringify(weights),
      up_to: last.id,
    });
    if (decisions.length < MAX_DECISIONS) return weights;
    learnedUpTo = last.id;
  }
}

/**
 * The arguments of database functions that write for a run, which refuse an attempt that is no
 * longer the latest.
 */
const attemptOf = ({ tenantId: tenant, runId: run, attempt }: ClaimedRun) => ({
  tenant,
  run,
  attempt,
});

/** Reports progress to the run's row, at most twice a second. */
class Progress {
  private readonly client: Client;
  private readonly run: ClaimedRun;
  private readonly stop: AbortSignal | undefined;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(client: Client, run: ClaimedRun, stop: AbortSignal | undefined) {
    this.client = client;
    this.run = run;
    this.stop = stop;
  }

  async report(
    { stage, done, total }: { stage: string; done: number; total: number },
    now = false,
  ): Promise<void> {
    this.stop?.throwIfAborted();
    if (!now && performance.now() - this.reportedAt < REPORT_INTERVAL_MS) return;
    this.reportedAt = performance.now();
    await call(this.client, "report_run_progress", {
      ...attemptOf(this.run),
      stage,
      done,
      total,
    });
  }
}

/** The waterfall in the form that the run's row stores. */
function waterfallOf({ waterfall }: Result) {
  return waterfall.rules.map(({ name, amounts, ...step }) => ({
    kind: "rule",
    rule: name,
    ...step,
    amounts: amounts.map(({ currency, left_minor, right_minor }) => ({
      currency,
      left_minor: exactSum(left_minor),
      right_minor: exactSum(right_minor),
    })),
  }));
}
