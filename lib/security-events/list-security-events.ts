import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { type listSecurityEventsContract, securityEvent } from "./contract.ts";

const ORDER = "at";
const sortKey = z.tuple([securityEvent.shape.at, z.string().regex(/^\d{1,18}$/)]);
export const keyset = z.object({ items: z.array(securityEvent), next: sortKey.nullable() });

export async function listSecurityEvents(
  ctx: Context,
  { cursor, ...filters }: z.output<typeof listSecurityEventsContract.query>,
): Promise<z.output<typeof listSecurityEventsContract.response>> {
  const after = decodeCursor(ORDER, cursor, sortKey);
  const { items, next } = await read(ctx, "list_security_events", { ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next) };
}
