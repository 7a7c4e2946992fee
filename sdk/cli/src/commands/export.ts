import type { Export, Tieout } from "../../../typescript/src/index.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { pairOf } from "../input.ts";
import { write } from "../output.ts";
import { saveAs } from "../save.ts";

type Query = { format: string };
type Exported = {
  /** The resource that the ID identifies, if one is needed. */
  idOf?: string;
  open: (tieout: Tieout, query: Query, id: string) => Export | Promise<Export>;
};

const EXPORTS: Record<string, Exported> = {
  exceptions: { open: (tieout, query) => tieout.exceptions.export(query as never) },
  sla: { open: (tieout, query) => tieout.exceptions.exportSla(query as never) },
  "sla-report": { open: (tieout, query) => tieout.exceptions.exportSlaReport(query as never) },
  "security-events": { open: (tieout, query) => tieout.securityEvents.export(query as never) },
  matches: {
    idOf: "reconciliation",
    open: (tieout, query, id) => tieout.reconciliations.exportMatches(id, query as never),
  },
  entries: {
    idOf: "entry batch",
    open: (tieout, query, id) => tieout.entryBatches.exportEntries(id, query as never),
  },
  statement: {
    idOf: "reconciliation",
    open: (tieout, query, id) => tieout.reconciliations.exportStatement(id, query as never),
  },
  bundle: { idOf: "reconciliation", open: (tieout, _query, id) => latestBundle(tieout, id) },
};
export const EXPORTED = Object.keys(EXPORTS);

type ExportOptions = GlobalOptions & { format: string; output?: string; query: string[] };

/** Writes an export to a file or stdout. A file appears only when it is complete. */
export async function exportList(
  what: string,
  id: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const exported = EXPORTS[what];
  if (!exported) throw new CliError(EXIT.usage, `Export one of ${EXPORTED.join(", ")}.`);
  const { idOf, open } = exported;
  if (idOf && !id) throw new CliError(EXIT.usage, `Give the ID of the ${idOf}: ${what} <id>`);
  if (id && !idOf) throw new CliError(EXIT.usage, `${what} takes no ID. Filter with --query.`);
  const { output } = options;
  const isBinary = what === "bundle" || options.format === "xlsx";
  if (isBinary && !output && process.stdout.isTTY)
    throw new CliError(EXIT.usage, "A terminal can't show this file. Save it with --output.");
  const query = { ...Object.fromEntries(options.query.map(pairOf)), format: options.format };
  const { tieout } = await connect(options);
  const bytes = (await open(tieout, query, id ?? "")).bytes();
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
