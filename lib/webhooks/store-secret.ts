import { randomBytes } from "node:crypto";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { seal, unseal } from "../runtime/seal.ts";
import type { NewWebhook, Webhook } from "./contract.ts";
import { sealSecret } from "./seal-secret.ts";
import { secretBytes } from "./signature.ts";

const MADE_BYTES = 32;
/** The minimum of Standard Webhooks. */
const STRONG_BYTES = 24;
const WARNING =
  "This secret is short: anyone who guesses it can forge signatures. Use at least 24 random bytes.";

type Kept = Webhook & { sealed?: string | null };

/**
 * Stores a webhook's secret: the caller's, or one created here and returned in this response only. With an idempotency key, the
 * database also stores the created one, sealed with that key, so that a replay returns it again.
 */
export async function storeSecret(
  ctx: Context,
  verb: "create_webhook" | "rotate_webhook_secret",
  input: object,
  given: string | undefined,
): Promise<NewWebhook> {
  const secret = given ?? `whsec_${randomBytes(MADE_BYTES).toString("base64")}`;
  const binding =
    given === undefined && ctx.idempotency
      ? `webhook-answer\n${ctx.tenantId}\n${ctx.idempotency.key}`
      : null;
  const kept = { ...sealSecret(secret, ctx.tenantId), sealed: binding && seal(secret, binding) };
  const webhook = tagged(ctx, await write<Kept>(ctx, verb, { ...input, ...kept }));
  if (given === undefined)
    return {
      ...webhook,
      secret: webhook.sealed && binding ? unseal(webhook.sealed, binding) : secret,
    };
  return secretBytes(given).length < STRONG_BYTES ? { ...webhook, warning: WARNING } : webhook;
}
