import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { decodeCursor, encodeCursor } from "../wire/cursor.ts";
import { read, type Verb } from "./call.ts";

type Keyset<Item> = { items: Item[]; next: string[] | null };
type Page<Item> = { items: Item[]; next_cursor: string | null };

/** `name` is the order that a cursor is bound to; `key` is an item's sort key, as strings. */
type Order = { name: string; key: z.ZodType };

type Query = { cursor?: string | undefined; [input: string]: unknown };

/**
 * Reads one page of a list, after the cursor's item. `Rest` is what the function returns besides
 * the items. @throws ApiError `invalid_request` if the cursor is invalid or belongs to another
 * order.
 */
export async function readPage<Item, Rest = unknown>(
  ctx: Context,
  verb: Verb,
  { name, key }: Order,
  { cursor, ...input }: Query,
): Promise<Page<Item> & Rest> {
  const after = decodeCursor(name, cursor, key);
  const { next, ...page } = await read<Keyset<Item> & Rest>(ctx, verb, { ...input, after });
  return { ...page, next_cursor: encodeCursor(name, next) } as Page<Item> & Rest;
}
