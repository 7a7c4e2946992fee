import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { type listReconciliationsContract, reconciliation } from "./contract.ts";

const ORDER = "id";
const keyset = z.object({ items: z.array(reconciliation), next: z.tuple([z.string()]).nullable() });

export async function listReconciliations(
  ctx: Context,
  { cursor, ...filters }: z.output<typeof listReconciliationsContract.query>,
): Promise<z.output<typeof listReconciliationsContract.response>> {
  const after = decodeCursor(ORDER, cursor, z.tuple([reconciliation.shape.id]));
  const { items, next } = await read(ctx, "list_reconciliations", { ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next) };
}
