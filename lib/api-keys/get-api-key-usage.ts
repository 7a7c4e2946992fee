import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { ApiKeyUsage } from "./contract.ts";

export function getApiKeyUsage(ctx: Context, id: string): Promise<ApiKeyUsage> {
  return read(ctx, "get_api_key_usage", { id });
}
