import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { listExceptionHistoryContract } from "./contract.ts";

type Contract = typeof listExceptionHistoryContract;

const ORDER = "history";
const sortKey = z.tuple([z.string().regex(/^\d{1,18}$/)]);
const keyset = z.object({ items: listExceptionHistoryContract.response.shape.items, next: sortKey.nullable() });

export async function listExceptionHistory(
  ctx: Context,
  id: string,
  { cursor, limit }: z.output<Contract["query"]>,
): Promise<z.output<Contract["response"]>> {
  const after = decodeCursor(ORDER, cursor, sortKey);
  const { items, next } = await read(ctx, "list_exception_history", { id, limit, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next) };
}
