import { hash } from "node:crypto";
import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { decodeCursor, encodeCursor } from "../wire/cursor.ts";
import { read, type Verb } from "./call.ts";

type Keyset<Item> = { items: Item[]; next?: string[] | null };
export type Page<Item> = { items: Item[]; next_cursor: string | null };

/** `name` is the order that a cursor is bound to; `key` is an item's sort key, as strings. */
export type Order = { name: string; key: z.ZodType };

export type Query = { cursor?: string | undefined; [input: string]: unknown };

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
  const order = orderOf(name, input);
  const after = decodeCursor(order, cursor, key);
  const { next = null, ...page } = await read<Keyset<Item> & Rest>(ctx, verb, { ...input, after });
  return { ...page, next_cursor: encodeCursor(order, next) } as unknown as Page<Item> & Rest;
}

const DIGEST_LENGTH = 8;

/**
 * What a cursor is bound to: its order and its filters, because with other ones it would skip
 * items.
 */
export function orderOf(name: string, { limit: _, ...filters }: Query): string {
  const present = Object.entries(filters).filter(([, value]) => value !== undefined);
  const text = JSON.stringify(present.sort(([left], [right]) => (left < right ? -1 : 1)));
  return `${name} ${hash("sha256", text, "base64url").slice(0, DIGEST_LENGTH)}`;
}
