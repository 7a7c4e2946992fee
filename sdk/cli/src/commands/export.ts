import type { Export, Tieout } from "../../../typescript/src/index.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { pairOf } from "../input.ts";
import { write } from "../output.ts";
import { saveAs } from "../save.ts";
import { EXPORTS, type Exported, type ExportName } from "./exported.ts";

type Open = (tieout: Tieout, query: { format: string }, id: string) => Export | Promise<Export>;

const OPENERS: Record<ExportName, Open> = {
  exceptions: (tieout, query) => tieout.exceptions.export(query as never),
  sla: (tieout, query) => tieout.exceptions.exportSla(query as never),
  "sla-report": (tieout, query) => tieout.exceptions.exportSlaReport(query as never),
  "security-events": (tieout, query) => tieout.securityEvents.export(query as never),
  matches: (tieout, query, id) => tieout.reconciliations.exportMatches(id, query as never),
  entries: (tieout, query, id) => tieout.entryBatches.exportEntries(id, query as never),
  statement: (tieout, query, id) => tieout.reconciliations.exportStatement(id, query as never),
  bundle: (tieout, _query, id) => latestBundle(tieout, id),
};
export const EXPORT_NAMES = Object.keys(EXPORTS) as ExportName[];

type ExportOptions = GlobalOptions & { format: string; output?: string; query: string[] };

/** Writes an export to a file or stdout. A file appears only when it is complete. */
export async function exportList(
  what: ExportName,
  id: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const { idOf }: Exported = EXPORTS[what];
  if (idOf && !id) throw new CliError(EXIT.usage, `Give the ID of the ${idOf}: ${what} <id>`);
  if (id && !idOf) throw new CliError(EXIT.usage, `${what} takes no ID. Filter with --query.`);
  const { output } = options;
  const isBinary = what === "bundle" || options.format === "xlsx";
  if (isBinary && !output && process.stdout.isTTY)
    throw new CliError(EXIT.usage, "A terminal can't show this file. Save it with --output.");
  const query = { ...Object.fromEntries(options.query.map(pairOf)), format: options.format };
  const { tieout } = await connect(options);
  const bytes = (await OPENERS[what](tieout, query, id ?? "")).bytes();
  if (!output) {
    for await (const chunk of bytes) await write(chunk);
    return;
  }
  await saveAs(options, output, bytes);
}

/** The zip of the newest signed statement, with its proof. */
async function latestBundle(tieout: Tieout, id: string): Promise<Export> {
  const { items } = await tieout.reconciliations.listSignedStatements(id, { limit: 1 }).page();
  const [newest] = items;
  if (!newest) throw new CliError(EXIT.conflict, "The period has no signed statement. Close it.");
  return tieout.reconciliations.getStatementBundle(id, newest.number);
}
