import { randomBytes } from "node:crypto";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { seal, unseal } from "../runtime/seal.ts";
import type { NewWebhook, Webhook } from "./contract.ts";
import { sealSecret } from "./seal-secret.ts";
import { secretBytes } from "./signature.ts";

const SECRET_BYTES = 32;
/** The minimum that Standard Webhooks recommends. */
const STRONG_BYTES = 24;
const WARNING =
  "This secret is short: anyone who guesses it can forge signatures. Use at least 24 random bytes.";

type StoredWebhook = Webhook & { sealed?: string | null };

/**
 * Stores a webhook's secret: the caller's, or a new one that only this response returns. With an
 * idempotency key, the database also stores the new secret encrypted with that key, so that a
 * replay returns it again.
 */
export async function storeSecret(
  ctx: Context,
  verb: "create_webhook" | "rotate_webhook_secret",
  input: object,
  provided: string | undefined,
): Promise<NewWebhook> {
  const secret = provided ?? `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  const binding =
    provided === undefined && ctx.idempotency
      ? `webhook-answer\n${ctx.tenantId}\n${ctx.idempotency.key}`
      : null;
  const sealedSecret = {
    ...sealSecret(secret, ctx.tenantId),
    sealed: binding && seal(secret, binding),
  };
  const webhook = tagged(ctx, await write<StoredWebhook>(ctx, verb, { ...input, ...sealedSecret }));
  if (provided === undefined)
    return {
      ...webhook,
      secret: webhook.sealed && binding ? unseal(webhook.sealed, binding) : secret,
    };
  return secretBytes(provided).length < STRONG_BYTES ? { ...webhook, warning: WARNING } : webhook;
}
