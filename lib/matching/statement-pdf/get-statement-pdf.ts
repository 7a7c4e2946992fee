import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { threads } from "../../runtime/threads.ts";
import { periodFileName } from "../../wire/period-name.ts";
import type { Statement } from "../periods/contract.ts";
import { getSignatures } from "../periods/get-signatures.ts";
import type { PdfInput } from "./document.ts";

/** Loaded from the source file: the library reads its fonts next to its own files. */
const THREAD = join(process.cwd(), "lib/matching/statement-pdf/pdf-thread.ts");
const MEMORY_MAX_MB = 256;

/** A statement of 3,000 items takes seconds; callers beyond ten are asked to retry. */
const writers = () =>
  threads<PdfInput>({
    name: "writes PDFs",
    begin: () => new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } }),
    max: 1,
    maxTasks: 10,
  });

/** @throws ApiError `not_found`, `conflict`; `unavailable` while many are being written */
export async function getStatementPdf(ctx: Context, id: string) {
  const statement = await read<Statement>(ctx, "get_statement", { id });
  const signed = await getSignatures({ ...ctx, continues: true }, statement);
  const body = await writers().run<Uint8Array<ArrayBuffer>>({ statement, ...signed });
  return { body, name: `${periodFileName("statement", statement)}.pdf` };
}
