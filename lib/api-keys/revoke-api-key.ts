import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { ApiKey } from "./contract.ts";
import { forgetApiKeys } from "./key-cache.ts";
import { apiKeyOf, type StoredApiKey } from "./stored.ts";

export async function revokeApiKey(ctx: Context, id: string, input: { reason?: string | null }): Promise<ApiKey> {
  const key = await write<StoredApiKey>(ctx, "revoke_api_key", { id, ...input });
  forgetApiKeys(id);
  return apiKeyOf(ctx, key);
}
