import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import type { ApiKey } from "./contract.ts";
import { forgetApiKey } from "./key-cache.ts";
import { storedApiKey, toApiKey } from "./stored.ts";

export async function revokeApiKey(ctx: Context, id: string, input: { reason?: string | null }): Promise<ApiKey> {
  const key = await write(ctx, "revoke_api_key", { id, ...input }, storedApiKey);
  forgetApiKey(id);
  return toApiKey(key);
}
