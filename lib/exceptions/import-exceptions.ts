import { createHash } from "node:crypto";
import { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { fieldWords } from "../field-words.ts";
import { createExceptionContract, type importExceptionsContract } from "./contract.ts";
import { type Line, readLines } from "./read-lines.ts";

const BATCH_ROWS = 1_000;
const REPORTED_MAX = 1_000;

const row = createExceptionContract.body as NonNullable<typeof createExceptionContract.body>;
const written = z.object({
  accepted: z.int(),
  refused: z.array(z.object({ line: z.coerce.number(), path: z.string(), message: z.string() })),
});

type Report = z.output<typeof importExceptionsContract.response>;
type Refusal = Report["errors"][number];
type Batch = ({ line: number } & z.output<typeof row>)[];

/** Creates what the lines of a file say, in batches as they come; each batch is one transaction and one idempotent step. */
export async function importExceptions(ctx: Context, mediaType: string, stream: ReadableStream<Uint8Array>): Promise<Report> {
  const report: Report = { accepted: 0, refused: 0, errors: [] };
  let batch: Batch = [];
  let batches = 0;
  const refuse = (refusal: Refusal) => {
    report.refused++;
    if (report.errors.length < REPORTED_MAX) report.errors.push(refusal);
  };
  const flush = async () => {
    if (batch.length === 0) return;
    const { accepted, refused } = await write(stepOf(ctx, batches++, batch), "import_exceptions", { rows: batch }, written);
    report.accepted += accepted;
    refused.forEach(refuse);
    batch = [];
  };
  for await (const line of readLines(mediaType, stream)) {
    accept(line, batch, refuse);
    if (batch.length >= BATCH_ROWS) await flush();
  }
  await flush();
  report.errors.sort((left, right) => left.line - right.line);
  return report;
}

function accept({ number: line, value, fault }: Line, batch: Batch, refuse: (refusal: Refusal) => void): void {
  const parsed = fault === undefined ? row.safeParse(value, { error: fieldWords }) : undefined;
  if (parsed?.success) {
    const { amount_minor = null, currency = null } = parsed.data;
    // The database would refuse the whole batch for it.
    if ((amount_minor === null) === (currency === null)) batch.push({ line, ...parsed.data });
    else refuse({ line, path: "currency", message: "amount_minor and currency come together." });
    return;
  }
  refuse({ line, ...(parsed ? describe(parsed.error.issues[0]) : { path: "", message: fault ?? "" }) });
}

function describe(issue?: z.core.$ZodIssue): { path: string; message: string } {
  if (issue?.code === "unrecognized_keys") return { path: issue.keys[0] ?? "", message: "Unknown field." };
  return { path: issue?.path.join(".") ?? "", message: issue?.message ?? "This row is invalid." };
}

/** A batch's own key follows from the client's, so that a file sent again skips the batches that are done. */
function stepOf(request: Context, number: number, batch: Batch): Context {
  const ctx = { ...request, continues: number > 0 };
  if (!ctx.idempotency) return ctx;
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const key = `${ctx.idempotency.key}\n${number}`;
  return { ...ctx, idempotency: { key, key_hash: sha256(key), fingerprint: sha256(JSON.stringify(batch)) } };
}
