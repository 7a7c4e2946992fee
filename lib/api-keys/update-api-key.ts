import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import type { ApiKey, updateApiKeyContract } from "./contract.ts";
import { forgetApiKey } from "./key-cache.ts";
import { storedApiKey, toApiKey } from "./stored.ts";

export async function updateApiKey(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateApiKeyContract.body>>,
): Promise<ApiKey> {
  const key = await write(ctx, "update_api_key", { id, patch }, storedApiKey);
  forgetApiKey(id);
  return toApiKey(key);
}
