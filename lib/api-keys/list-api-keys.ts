import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { apiKey, type listApiKeysContract } from "./contract.ts";
import { type StoredApiKey, withUnusedScopes } from "./stored.ts";

type Contract = typeof listApiKeysContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([apiKey.shape.id]) };

export async function listApiKeys(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  const page = await readPage<StoredApiKey, { as_of: string }>(
    ctx,
    "list_api_keys",
    NEWEST_FIRST,
    query,
  );
  return { ...page, items: page.items.map(withUnusedScopes) };
}
