import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import type { ApiKey } from "./contract.ts";
import { storedApiKey, toApiKey } from "./stored.ts";

export async function getApiKey(ctx: Context, id: string): Promise<ApiKey> {
  return toApiKey(await read(ctx, "get_api_key", { id }, storedApiKey));
}
