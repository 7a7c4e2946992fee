import { createHash } from "node:crypto";
import type { z } from "zod";
import { fieldMessage } from "../../wire/field-messages.ts";
import { createExceptionContract } from "../contract.ts";
import type { importExceptionsContract } from "./contract.ts";
import { type Line, readLines } from "./read-lines.ts";

const BATCH_ROWS = 1_000;
const BATCH_MAX_LENGTH = 1024 * 1024;

const row = createExceptionContract.body as NonNullable<typeof createExceptionContract.body>;
const FIELDS: ReadonlySet<string> = new Set(Object.keys(row.shape));

export type Refusal = z.output<typeof importExceptionsContract.response>["errors"][number];
export type Row = { line: number } & z.output<typeof row>;

/**
 * Rows for one transaction, and the rows rejected before them. `digest` is the SHA-256 of the rows,
 * so sending the same file again produces the same batches.
 */
export type Batch = { rows: Row[]; digest: string; refused: Refusal[] };

/**
 * The valid rows of a file, at most 1,000 and about 1 MiB per batch. @throws ApiError as
 * `readLines` does
 */
export async function* batchesOf(
  mediaType: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Batch> {
  let rows: Row[] = [];
  let refused: Refusal[] = [];
  let length = 0;
  let hash = createHash("sha256");
  for await (const line of readLines(mediaType, chunks, FIELDS)) {
    const checked = check(line);
    if ("refusal" in checked) refused.push(checked.refusal);
    else {
      const json = JSON.stringify(checked.row);
      rows.push(checked.row);
      hash.update(json);
      length += json.length;
    }
    if (rows.length < BATCH_ROWS && length < BATCH_MAX_LENGTH && refused.length < BATCH_ROWS)
      continue;
    yield { rows, digest: hash.digest("hex"), refused };
    [rows, refused, length, hash] = [[], [], 0, createHash("sha256")];
  }
  yield { rows, digest: hash.digest("hex"), refused };
}

function check({ number: line, value, fault }: Line): { row: Row } | { refusal: Refusal } {
  if (fault !== undefined) return { refusal: { line, path: "", message: fault } };
  const parsed = row.safeParse(value, { error: fieldMessage });
  if (!parsed.success) return { refusal: { line, ...describe(parsed.error.issues[0]) } };
  const { amount_minor = null, currency = null } = parsed.data;
  // Checked here, because the database would reject the whole batch.
  if ((amount_minor === null) === (currency === null)) return { row: { line, ...parsed.data } };
  return {
    refusal: {
      line,
      path: "currency",
      message: "amount_minor and currency must be sent together.",
    },
  };
}

function describe(issue?: z.core.$ZodIssue): { path: string; message: string } {
  if (issue?.code === "unrecognized_keys")
    return { path: issue.keys[0] ?? "", message: "Unknown field." };
  return { path: issue?.path.join(".") ?? "", message: issue?.message ?? "This row is invalid." };
}
