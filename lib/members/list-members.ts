import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { listMembersContract } from "./contract.ts";

type Contract = typeof listMembersContract;

const ORDER = "name";
const sortKey = z.tuple([z.string()]);
const keyset = z.object({ items: listMembersContract.response.shape.items, next: sortKey.nullable() });

export async function listMembers(
  ctx: Context,
  { cursor, ...filters }: z.output<Contract["query"]>,
): Promise<z.output<Contract["response"]>> {
  const after = decodeCursor(ORDER, cursor, sortKey);
  const { items, next } = await read(ctx, "list_members", { ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next) };
}
