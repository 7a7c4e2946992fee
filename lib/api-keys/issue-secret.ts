import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { seal, unseal } from "../runtime/seal.ts";
import { isSandbox } from "../wire/sandbox.ts";
import type { NewApiKey } from "./contract.ts";
import { digestOf, mintCredential } from "./credential-format.ts";

const WARNING =
  "Store key_secret securely now. It is shown only once and can't be retrieved again.";

type Issued = Omit<NewApiKey, "key_secret" | "warning"> & { sealed: string | null };

/**
 * Writes a key with a new secret. The database gets its digest and, with an idempotency key, the
 * secret encrypted with that key, so that a replay returns the same secret only to a caller who
 * still has the key.
 */
export async function issueSecret(
  ctx: Context,
  verb: "create_api_key" | "rotate_api_key",
  input: object,
): Promise<NewApiKey> {
  const minted = mintCredential(isSandbox(ctx.tenantId));
  const binding = ctx.idempotency && `${ctx.tenantId}\n${ctx.idempotency.key}`;
  const secret = {
    key_id: minted.keyId,
    secret_digest: digestOf(minted.secret),
    sealed: binding && seal(minted.secret, binding),
  };
  const issued = tagged(ctx, await write<Issued>(ctx, verb, { ...input, ...secret }));
  return {
    ...issued,
    key_secret: issued.sealed && binding ? unseal(issued.sealed, binding) : minted.secret,
    warning: WARNING,
  };
}
