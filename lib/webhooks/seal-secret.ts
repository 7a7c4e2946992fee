import { rowSealer } from "../runtime/seal.ts";

export type SealedSecret = { secret_id: string; sealed_secret: string };

const secrets = rowSealer("webhook-secret", "whs");
export const { unseal: unsealSecret, reseal: resealSecret } = secrets;

export function sealSecret(secret: string, tenantId: string): SealedSecret {
  const { id, sealed } = secrets.seal(secret, tenantId);
  return { secret_id: id, sealed_secret: sealed };
}
