import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { ApiKey, updateApiKeyContract } from "./contract.ts";
import { forgetApiKey } from "./key-cache.ts";
import { apiKeyOf, type StoredApiKey } from "./stored.ts";

export async function updateApiKey(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateApiKeyContract.body>>,
): Promise<ApiKey> {
  const key = await write<StoredApiKey>(ctx, "update_api_key", { id, patch });
  forgetApiKey(id);
  return apiKeyOf(ctx, key);
}
