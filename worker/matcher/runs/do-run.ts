import { setImmediate as otherWork } from "node:timers/promises";
import type { Client } from "pg";
import { log } from "#lib/runtime/log.ts";
import { type Step, traced } from "#lib/runtime/trace.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { SURE_SCORE } from "../../../engine/assignment/by-evidence.ts";
import { ENGINE_VERSION } from "../../../engine/content-hash.ts";
import { type Result, run as runRules } from "../../../engine/engine.ts";
import { checkInvariants } from "../../../engine/invariants.ts";
import { businessDaysOf, mondayToFriday, type OpenDays } from "../../../engine/prepare/days.ts";
import type { Reason } from "../../../engine/reasons.ts";
import { DEFAULT_RULES } from "../../../engine/rules.ts";
import { type Decision, learn, trackRecord, type Weights } from "../../../engine/weights.ts";
import { call, callForValue } from "./call.ts";
import { changesOf } from "./changes.ts";
import type { ClaimedRun, LastRun, Policy } from "./claimed-run.ts";
import { exactSum, impactOf } from "./impact.ts";
import { openLineExceptions, reasonsIn, storedReasons, unusualReasons } from "./line-exceptions.ts";
import { readRun } from "./read-run.ts";
import { reportViolations } from "./report-violations.ts";
import { saveChanges } from "./save-changes.ts";
import { doShortRun } from "./short-run.ts";
import { refreshStatistics, withStatementTimeout } from "./statement-timeout.ts";

export type RunKey = { tenant_id: string; reconciliation_id: string; run_id: string | null };

/** A run and the number of the attempt that does it. */
export type Attempt = Pick<ClaimedRun, "runId" | "attempt">;

type Begun = {
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
};

/** The most decisions that one run learns from. */
const DECISIONS = 2_000;
const REPORT_EVERY_MS = 500;
/** How long the rules hold the event loop before they yield. */
const SLICE_MS = 20;

/**
 * Runs the rules over a period: learns from people's decisions, matches, saves the changes, opens
 * exceptions and checks the result.
 * @param main the connection that does the work
 * @param side the connection that reports progress
 * @param begun called with the run and its attempt; not called where no run waits
 * @throws ApiError `conflict` where the result violates an invariant: nothing was saved, and a
 * retry would give the same result
 */
export async function doRun(
  main: Client,
  side: Client,
  key: RunKey,
  begun: (run: Attempt) => void,
  stop?: AbortSignal,
): Promise<void> {
  const todo = await begin(main, key);
  if (!todo) return;
  begun({ runId: todo.runId, attempt: todo.attempt });
  if (todo.heldBack) return openHeldBackExceptions(main, todo, storedReasons(todo.heldBack));
  const short = await traced(sqlStep("decide new lines", todo), () =>
    doShortRun(main, todo, businessDaysIn(todo)),
  );
  if (!short) return;
  if (!todo.dryRun) todo.weights = await learnDecisions(main, todo);
  const progress = new Progress(side, todo, stop);
  await refreshStatistics(main, todo.tenantId);
  const input = await traced(sqlStep("read lines", todo), () =>
    withStatementTimeout(main, todo, () => readRun(main, todo)),
  );
  const result = await traced(engineStep(todo, input), () => weigh(todo, input, progress));
  const violations = checkInvariants(result);
  if (violations.length > 0) {
    log.fatal({ run_id: todo.runId, violations }, "a run violated an invariant; nothing was saved");
    throw new ApiError(
      "conflict",
      "The result failed our own checks, so nothing was saved. " +
        "Don't run it again: send us the run's id.",
    );
  }
  const changes = changesOf(result, input.present, input.fees);
  if (todo.dryRun) {
    const { newly, no_longer, ...impact } = impactOf(result, changes, input);
    const { tenantId: tenant, reconciliationId: reconciliation } = todo;
    const exceptions = await withStatementTimeout(main, todo, () =>
      callForValue<object>(main, "exceptions_at_stake", {
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
    await call(main, "finish_dry_run", { ...attemptOf(todo), outcome: JSON.stringify(outcome) });
    return;
  }
  const leftOut = await traced(sqlStep("save_matches", todo), () =>
    saveChanges(main, todo, result, changes, input.fees, (done, total) =>
      progress.report({ stage: "keeping", done, total }),
    ),
  );
  await progress.report({ stage: "exceptions", done: 0, total: 0 });
  await refreshStatistics(main, todo.tenantId);
  const [{ opened, heldBack }, totals] = await bothDone(
    traced(sqlStep("open_line_exceptions", todo), () =>
      withStatementTimeout(main, todo, () => openLineExceptions(main, todo, reasonsIn(result))),
    ),
    traced(sqlStep("run_totals", todo), () =>
      withStatementTimeout(side, todo, () => totalsOf(side, todo)),
    ),
  );
  const again = changes.made.filter((match) => match.again).length;
  const outcome = {
    changed: {
      added: short.added + changes.made.length - again - leftOut,
      kept: changes.kept,
      replaced: again,
      undone: short.undone + changes.gone.length,
      left_out: leftOut,
    },
    exceptions_opened: opened,
    exceptions_held_back: heldBack,
    ...(heldBack > 0 && { held_back_reasons: unusualReasons(result) }),
  };
  const broken = await traced(sqlStep("finish_run", todo), () =>
    withStatementTimeout(main, todo, () =>
      callForValue<string[]>(main, "finish_run", {
        ...attemptOf(todo),
        totals: JSON.stringify(totals),
        outcome: JSON.stringify(outcome),
      }),
    ),
  );
  reportViolations(todo, broken);
}

/** Waits for both, even if one fails: its connection must not be closed under the other. */
async function bothDone<One, Other>(
  one: Promise<One>,
  other: Promise<Other>,
): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

/** Digest, counts, waterfall and violated invariants, from the books. */
const totalsOf = (client: Client, { tenantId, reconciliationId, runId, rules }: ClaimedRun) =>
  callForValue<object>(client, "run_totals", {
    tenant: tenantId,
    reconciliation: reconciliationId,
    run: runId,
    rules: rules.map(({ name }) => name),
  });

/** Where nothing else is new since the last run. */
async function openHeldBackExceptions(
  main: Client,
  todo: ClaimedRun,
  reasonsOf: ReturnType<typeof storedReasons>,
): Promise<void> {
  const { opened, heldBack } = await traced(sqlStep("open_line_exceptions", todo), () =>
    withStatementTimeout(main, todo, () => openLineExceptions(main, todo, reasonsOf)),
  );
  await call(main, "finish_unchanged_run", {
    ...attemptOf(todo),
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

async function begin(main: Client, key: RunKey): Promise<ClaimedRun | null> {
  const begun = await callForValue<Begun | null>(main, "begin_run", {
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
  };
}

const businessDaysIn = ({ openDays }: ClaimedRun) =>
  openDays ? businessDaysOf(openDays) : mondayToFriday;

async function learnDecisions(main: Client, todo: ClaimedRun): Promise<Weights | null> {
  const { tenantId: tenant, pairNo: pair, weights } = todo;
  const decisions = await callForValue<
    ({ id: number; left: Decision["left"] | null; right: Decision["right"] | null } & Decision)[]
  >(main, "decisions_to_learn", { tenant, pair, most: DECISIONS });
  const last = decisions.at(-1);
  if (!last) return weights;
  const learnt = learn(
    weights,
    decisions.filter(({ left, right }) => left && right),
    businessDaysIn(todo),
  );
  await call(main, "save_weights", {
    ...attemptOf(todo),
    pair,
    weights: JSON.stringify(learnt),
    up_to: last.id,
  });
  return learnt;
}

async function weigh(
  todo: ClaimedRun,
  { left, right, rejected }: Awaited<ReturnType<typeof readRun>>,
  progress: Progress,
): Promise<Result> {
  const { automatic } = todo.policy;
  const earned =
    automatic === "always" ||
    (automatic === "earned" && trackRecord(todo.weights, SURE_SCORE).proven);
  const total = left.length + right.length;
  const running = runRules({
    left,
    right,
    rules: todo.rules,
    rejected,
    weights: todo.weights,
    automatic: earned ? "as_ruled" : "suggest_only",
    businessDays: businessDaysIn(todo),
  });
  await progress.report({ stage: todo.rules[0]?.name ?? "rules", done: 0, total }, true);
  for (let since = performance.now(); ; ) {
    const step = running.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await progress.report({
      stage: step.value.stage,
      done: Math.min(total, step.value.done),
      total,
    });
    await otherWork();
    since = performance.now();
  }
}

/**
 * Arguments of the functions that write for a run: they refuse an attempt that is no longer the
 * latest.
 */
const attemptOf = ({ tenantId: tenant, runId: run, attempt }: ClaimedRun) => ({
  tenant,
  run,
  attempt,
});

/** Reports progress to the run's row, twice a second at most. */
class Progress {
  private readonly side: Client;
  private readonly todo: ClaimedRun;
  private readonly stop: AbortSignal | undefined;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(side: Client, todo: ClaimedRun, stop: AbortSignal | undefined) {
    this.side = side;
    this.todo = todo;
    this.stop = stop;
  }

  async report(
    { stage, done, total }: { stage: string; done: number; total: number },
    now = false,
  ): Promise<void> {
    this.stop?.throwIfAborted();
    if (!now && performance.now() - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = performance.now();
    await call(this.side, "report_run_progress", { ...attemptOf(this.todo), stage, done, total });
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
