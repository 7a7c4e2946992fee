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

/** Name → resource and method of the SDK; those of a period need its ID. */
const EXPORTS: Record<string, [resource: string, method: string, needsId?: true]> = {
  exceptions: ["exceptions", "export"],
  sla: ["exceptions", "exportSla"],
  "sla-report": ["exceptions", "exportSlaReport"],
  "security-events": ["securityEvents", "export"],
  matches: ["reconciliations", "exportMatches", true],
  statement: ["reconciliations", "exportStatement", true],
};
export const EXPORTED = Object.keys(EXPORTS);

type ExportOptions = GlobalOptions & { format: string; output?: string; query: string[] };

/** Writes an export to a file or stdout. A file appears only if it is whole. */
export async function exportList(
  what: string,
  id: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const [resource, method, needsId] = EXPORTS[what] ?? [];
  if (!resource || !method) throw new CliError(EXIT.usage, `Export one of ${EXPORTED.join(", ")}.`);
  if (needsId && !id) throw new CliError(EXIT.usage, `Give the reconciliation's ID: ${what} rcn_…`);
  const { tieout } = await connect(options);
  const query = { ...Object.fromEntries(options.query.map(pairOf)), format: options.format };
  const open = (tieout as unknown as Exportable)[resource]?.[method];
  const bytes = open?.(...(needsId ? [id] : []), query).bytes() ?? [];
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
