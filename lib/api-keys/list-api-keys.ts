import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { time } from "../schema.ts";
import { apiKey, type listApiKeysContract } from "./contract.ts";
import { storedApiKey, toApiKey } from "./stored.ts";

const ORDER = "id";
const keyset = z.object({ items: z.array(storedApiKey), next: z.tuple([z.string()]).nullable(), as_of: time });

export async function listApiKeys(
  ctx: Context,
  { cursor, ...filters }: z.output<typeof listApiKeysContract.query>,
): Promise<z.output<typeof listApiKeysContract.response>> {
  const after = decodeCursor(ORDER, cursor, z.tuple([apiKey.shape.id]));
  const { items, next, as_of } = await read(ctx, "list_api_keys", { ...filters, after }, keyset);
  return { items: items.map(toApiKey), next_cursor: encodeCursor(ORDER, next), as_of };
}
