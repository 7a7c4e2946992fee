import type { z } from "zod";
import type { Context } from "../request/context.ts";
import type { createApiKeyContract, NewApiKey } from "./contract.ts";
import { issueSecret } from "./issue-secret.ts";

export function createApiKey(
  ctx: Context,
  input: z.output<NonNullable<typeof createApiKeyContract.body>>,
): Promise<NewApiKey> {
  return issueSecret(ctx, "create_api_key", input);
}
