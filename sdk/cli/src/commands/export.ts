import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Export } from "../../../typescript/src/index.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { note, pairOf } from "../output.ts";

type Exportable = {
  [resource: string]: { [method: string]: (...args: unknown[]) => Export };
};

/** Name → resource and method of the SDK, and of what an ID is needed. */
const EXPORTS: Record<string, [resource: string, method: string, idOf?: string]> = {
  exceptions: ["exceptions", "export"],
  sla: ["exceptions", "exportSla"],
  "sla-report": ["exceptions", "exportSlaReport"],
  "security-events": ["securityEvents", "export"],
  matches: ["reconciliations", "exportMatches", "reconciliation"],
  entries: ["entryBatches", "exportEntries", "entry batch"],
  statement: ["reconciliations", "exportStatement", "reconciliation"],
};
export const EXPORTED = Object.keys(EXPORTS);

type ExportOptions = GlobalOptions & { format: string; output?: string; query: string[] };

/** Writes an export to a file or stdout. A file appears only if it is whole. */
export async function exportList(
  what: string,
  id: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const [resource, method, idOf] = EXPORTS[what] ?? [];
  if (!resource || !method) throw new CliError(EXIT.usage, `Export one of ${EXPORTED.join(", ")}.`);
  if (idOf && !id) throw new CliError(EXIT.usage, `Give the ID of the ${idOf}: ${what} <id>`);
  if (id && !idOf) throw new CliError(EXIT.usage, `${what} takes no ID. Filter with --query.`);
  const { tieout } = await connect(options);
  const query = { ...Object.fromEntries(options.query.map(pairOf)), format: options.format };
  const open = (tieout as unknown as Exportable)[resource]?.[method];
  const bytes = open?.(...(idOf ? [id] : []), query).bytes() ?? [];
  const { output } = options;
  if (!output) {
    for await (const chunk of bytes) process.stdout.write(chunk);
    return;
  }
  const written = `${output}.${process.pid}`;
  try {
    await pipeline(Readable.from(bytes), createWriteStream(written));
    await rename(written, output);
  } finally {
    await rm(written, { force: true });
  }
  note(options, `Saved ${output}`);
}
