import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { decodeCursor, encodeCursor } from "../wire/cursor.ts";
import { read, type Verb } from "./call.ts";

type Keyset<Item> = { items: Item[]; next: string[] | null };
type Page<Item> = { items: Item[]; next_cursor: string | null };

/** `name`: the order a cursor is bound to. `key`: an item's sort key, as strings. */
type Order = { name: string; key: z.ZodType };

type Query = { cursor?: string | undefined; [input: string]: unknown };

/**
 * One page of a list, after the cursor's item. `Rest`: what the function returns besides the items.
 * @throws ApiError `invalid_request` if the cursor is invalid or was made for another order.
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
