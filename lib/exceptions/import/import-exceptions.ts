import { createHash } from "node:crypto";
import type { z } from "zod";
import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Refusal } from "./batches.ts";
import type { importExceptionsContract } from "./contract.ts";
import { readBatches } from "./reader.ts";

const REPORTED_MAX = 1_000;

type Report = z.output<typeof importExceptionsContract.response>;
type Written = { accepted: number; refused: { line: string; path: string; message: string }[] };

/**
 * Creates a file's exceptions in batches as they arrive. Each batch is one transaction and one
 * idempotent step.
 */
export async function importExceptions(
  ctx: Context,
  mediaType: string,
  stream: ReadableStream<Uint8Array>,
): Promise<Report> {
  const report: Report = { accepted: 0, refused: 0, errors: [] };
  const refuse = (refused: readonly Refusal[]) => {
    report.refused += refused.length;
    report.errors.push(...refused.slice(0, REPORTED_MAX - report.errors.length));
  };
  let batches = 0;
  for await (const { rows, digest, refused } of readBatches(mediaType, stream)) {
    refuse(refused);
    if (rows.length === 0) continue;
    const written = await write<Written>(stepOf(ctx, batches++, digest), "import_exceptions", {
      rows,
    });
    report.accepted += written.accepted;
    refuse(
      written.refused.map(({ line, path, message }) => ({ line: Number(line), path, message })),
    );
  }
  report.errors.sort((left, right) => left.line - right.line);
  return report;
}

/**
 * A batch's idempotency key is derived from the client's, so a file that is sent again skips
 * finished batches.
 */
function stepOf(request: Context, number: number, digest: string): Context {
  const ctx = { ...request, continues: number > 0 };
  if (!ctx.idempotency) return ctx;
  const key = `${ctx.idempotency.key}\n${number}`;
  const key_hash = createHash("sha256").update(key).digest("hex");
  return { ...ctx, idempotency: { key, key_hash, fingerprint: digest } };
}
