import type { Run } from "../../../typescript/src/generated/types.gen.ts";
import { toDecimal } from "../../../typescript/src/index.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { facts, print, progressReporter, waitingFor } from "../output.ts";

type WaitOptions = GlobalOptions & { wait?: boolean };

/** The maximum number of suggestions in one decision. */
const CONFIRM_MAX = 5_000;

export async function run(reconciliation: string, options: WaitOptions): Promise<void> {
  const { tieout } = await connect(options);
  const onProgress = progressReporter<Run>(options, ({ status, stage }) => stage ?? status);
  const done = options.wait
    ? await waitingFor(
        "the run",
        tieout.runs.createAndWait(reconciliation, undefined, { onProgress }),
      )
    : await tieout.reconciliations.createRun(reconciliation);
  print(options, done, options.wait ? resultOf(done) : `${done.id} is ${done.status}`);
}

function resultOf(done: Run): string {
  return facts([
    ["Run", done.id],
    ["New matches", done.changed?.added ?? 0],
    ["Suggestions", done.suggested_count],
    ["Open lines", done.open_count],
    ["New exceptions", done.exceptions_opened],
  ]);
}

export async function close(reconciliation: string, options: WaitOptions): Promise<void> {
  const { tieout } = await connect(options);
  const period = options.wait
    ? await waitingFor("the close", tieout.reconciliations.closeAndWait(reconciliation))
    : await tieout.reconciliations.close(reconciliation);
  const state = period.closed_at ? `closed at ${period.closed_at}` : "being closed";
  print(options, period, `${period.name} is ${state}`);
}

type ConfirmOptions = GlobalOptions & { minScore: number; rule?: string; dryRun?: boolean };

/** Confirms the suggestions above a probability: all of them or none. */
export async function confirmMatches(id: string, options: ConfirmOptions): Promise<void> {
  const { minScore, rule, dryRun } = options;
  const { tieout } = await connect(options);
  const sums = new Map<string, bigint>();
  let count = 0;
  const suggested = { state: "suggested" as const, method: rule };
  for await (const match of tieout.reconciliations.listMatches(id, suggested)) {
    if ((match.score ?? 0) < minScore) continue;
    count += 1;
    sums.set(match.currency, (sums.get(match.currency) ?? 0n) + BigInt(match.amount_minor));
  }
  const totals = [...sums].map(([currency, sum]) => `${toDecimal(sum, currency)} ${currency}`);
  const of = facts([
    ["Suggestions", count],
    ["Amount", totals.join(", ")],
  ]);
  if (dryRun || count === 0) {
    print(options, { count, dry_run: dryRun === true, amounts: totals }, of);
    return;
  }
  if (count > CONFIRM_MAX)
    throw new CliError(
      EXIT.usage,
      `${count} suggestions are more than ${CONFIRM_MAX}: raise --min-score, or name a --rule.`,
    );
  await tieout.matches.decide({
    action: "confirm",
    filter: { reconciliation_id: id, method: rule, score_from: minScore },
    expected_count: count,
  });
  print(options, { count, amounts: totals }, `Confirmed\n${of}`);
}
