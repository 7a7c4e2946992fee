import { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { seal, unseal } from "../seal.ts";
import { type NewApiKey, newApiKey } from "./contract.ts";
import { digestOf, mintCredential } from "./credential-format.ts";

const WARNING = "Store key_secret securely now. It is shown only once and can't be retrieved again.";

const issued = newApiKey.omit({ key_secret: true, warning: true }).extend({ sealed: z.string().nullable() });

/**
 * Writes a key with a new secret. The database gets its digest; under an idempotency key also the secret itself, sealed
 * with that key, so that a replay gives the same secret to the one who can still name the key, and to nobody else.
 */
export async function issueSecret(ctx: Context, verb: "create_api_key" | "rotate_api_key", input: object): Promise<NewApiKey> {
  const minted = mintCredential();
  const binding = ctx.idempotency && `${ctx.tenantId}\n${ctx.idempotency.key}`;
  const { sealed, ...key } = await write(
    ctx,
    verb,
    { ...input, key_id: minted.keyId, secret_digest: digestOf(minted.secret), sealed: binding && seal(minted.secret, binding) },
    issued,
  );
  return { ...key, key_secret: sealed && binding ? unseal(sealed, binding) : minted.secret, warning: WARNING };
}
