import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import type { ApiKeyUsage } from "./contract.ts";

export function getApiKeyUsage(ctx: Context, id: string): Promise<ApiKeyUsage> {
  return read(ctx, "get_api_key_usage", { id });
}
