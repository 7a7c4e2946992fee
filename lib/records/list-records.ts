import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import type { RecordContracts } from "./contract.ts";

const ORDER = "id";
const sortKey = z.tuple([z.string().regex(/^rec_[0-9a-z]{20,40}$/)]);

export async function listRecords(
  ctx: Context,
  { surface, list }: RecordContracts,
  { cursor, ...filters }: z.output<RecordContracts["list"]["query"]>,
): Promise<z.output<RecordContracts["list"]["response"]>> {
  const after = decodeCursor(ORDER, cursor, sortKey);
  const keyset = z.object({ items: list.response.shape.items, next: z.tuple([z.string()]).nullable() });
  const { items, next } = await read(ctx, "list_records", { surface, ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next) };
}
