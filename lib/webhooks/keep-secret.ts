import { randomBytes } from "node:crypto";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { seal, unseal } from "../runtime/seal.ts";
import type { NewWebhook, Webhook } from "./contract.ts";
import { sealSecret } from "./seal-secret.ts";
import { secretBytes } from "./signature.ts";

const MADE_BYTES = 32;
/** Standard Webhooks asks for 24 bytes at least. */
const STRONG_BYTES = 24;
const WARNING = "This secret is short: signatures made with it can be forged by anyone who guesses it. Use 24 random bytes or more.";

type Kept = Webhook & { sealed?: string | null };

/**
 * Writes a webhook with its secret: the caller's, or one that is made here and shown in this answer alone. Under an idempotency key the
 * database also keeps what was made here, sealed with that key, so that a replay shows it again.
 */
export async function keepSecret(
  ctx: Context,
  verb: "create_webhook" | "rotate_webhook_secret",
  input: object,
  given: string | undefined,
): Promise<NewWebhook> {
  const secret = given ?? `whsec_${randomBytes(MADE_BYTES).toString("base64")}`;
  const binding = given === undefined && ctx.idempotency ? `webhook-answer\n${ctx.tenantId}\n${ctx.idempotency.key}` : null;
  const kept = { ...sealSecret(secret, ctx.tenantId), sealed: binding && seal(secret, binding) };
  const webhook = tagged(ctx, await write<Kept>(ctx, verb, { ...input, ...kept }));
  if (given === undefined) return { ...webhook, secret: webhook.sealed && binding ? unseal(webhook.sealed, binding) : secret };
  return secretBytes(given).length < STRONG_BYTES ? { ...webhook, warning: WARNING } : webhook;
}
