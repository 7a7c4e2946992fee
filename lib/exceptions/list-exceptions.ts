import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { exception, type listExceptionsContract } from "./contract.ts";

const ORDER = "id";
const keyset = z.object({ items: z.array(exception), next: z.tuple([z.string()]).nullable() });

export async function listExceptions(
  ctx: Context,
  { cursor, ...filters }: z.output<typeof listExceptionsContract.query>,
): Promise<z.output<typeof listExceptionsContract.response>> {
  const after = decodeCursor(ORDER, cursor, z.tuple([exception.shape.id]));
  const { items, next } = await read(ctx, "list_exceptions", { ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next) };
}
