import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { ApiKey } from "./contract.ts";
import { apiKeyOf, type StoredApiKey } from "./stored.ts";

export async function getApiKey(ctx: Context, id: string): Promise<ApiKey> {
  return apiKeyOf(ctx, await read<StoredApiKey>(ctx, "get_api_key", { id }));
}
