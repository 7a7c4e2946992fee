import { type Tieout, toDecimal } from "../../../sdk/typescript/src/index.ts";
import { openFile } from "../../../sdk/typescript/src/node.ts";

/**
 * A company's nightly job: two files are imported, a period is closed and its statement exported.
 */
export async function nightlyJob(
  tieout: Tieout,
  period: string,
  files: Record<string, string>,
  log: (line: string) => void,
) {
  for (const [source, path] of Object.entries(files)) {
    const { accepted_count } = await tieout.imports.createAndWait(source, await openFile(path));
    log(`${accepted_count} lines imported`);
  }
  const run = await tieout.runs.createAndWait(period, undefined, {
    onProgress: ({ stage }) => stage && log(stage),
  });
  log(`run ${run.status}`);

  const certain: string[] = [];
  for await (const match of tieout.reconciliations.listMatches(period, { state: "suggested" }))
    if ((match.score ?? 0) >= 0.99 && match.residual_minor === 0) certain.push(match.id);
  if (certain.length > 0) await tieout.matches.decide({ action: "confirm", ids: certain });

  for await (const line of tieout.lines.list({
    reconciliation_id: period,
    state: "open",
    limit: 1,
  }))
    if (line.description?.includes("Account fee"))
      await tieout.lines.exclude(line.id, { reason: "Booked by the quarter" });

  const closed = await tieout.reconciliations.closeAndWait(period);
  const statement = await tieout.reconciliations.getStatement(period);
  log(`${closed.matched_count} matched, ${statement.outstanding_count} outstanding`);
  for (const { currency, difference_minor } of statement.differences)
    log(`difference ${toDecimal(difference_minor, currency)} ${currency}`);
  for await (const { kind, amount } of tieout.reconciliations.exportStatement(period))
    if (kind === "outstanding" || kind === "exclusion") log(`${kind} ${amount}`);
}
