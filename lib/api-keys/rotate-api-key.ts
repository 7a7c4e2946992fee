import type { Context } from "../request/context.ts";
import type { NewApiKey } from "./contract.ts";
import { issueSecret } from "./issue-secret.ts";
import { forgetApiKey } from "./key-cache.ts";

export async function rotateApiKey(
  ctx: Context,
  id: string,
  input: { grace_period_seconds: number },
): Promise<NewApiKey> {
  const successor = await issueSecret(ctx, "rotate_api_key", { id, ...input });
  forgetApiKey(id);
  return successor;
}
