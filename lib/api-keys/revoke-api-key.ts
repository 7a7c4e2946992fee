import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { ApiKey } from "./contract.ts";
import { forgetApiKey } from "./key-cache.ts";
import { apiKeyOf, type StoredApiKey } from "./stored.ts";

export async function revokeApiKey(
  ctx: Context,
  id: string,
  input: { reason?: string | null; disable_webhooks?: boolean },
): Promise<ApiKey> {
  const key = await write<StoredApiKey>(ctx, "revoke_api_key", { id, ...input });
  forgetApiKey(id);
  return apiKeyOf(ctx, key);
}
