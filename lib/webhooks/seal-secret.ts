import { randomUUID } from "node:crypto";
import { seal, unseal } from "../runtime/seal.ts";

export type SealedSecret = { secret_id: string; sealed_secret: string };

/** The database never sees a webhook's secret: it is sealed for one tenant and one row. */
export function sealSecret(secret: string, tenantId: string): SealedSecret {
  const secretId = `whs_${randomUUID().replaceAll("-", "")}`;
  return { secret_id: secretId, sealed_secret: seal(secret, bindingOf(tenantId, secretId)) };
}

/** @throws Error where no server key fits. */
export function unsealSecret(sealed: string, tenantId: string, secretId: string): string {
  return unseal(sealed, bindingOf(tenantId, secretId));
}

/** The same secret under the newest server key. */
export function resealSecret(sealed: string, tenantId: string, secretId: string): string {
  return seal(unsealSecret(sealed, tenantId, secretId), bindingOf(tenantId, secretId));
}

function bindingOf(tenantId: string, secretId: string): string {
  return `webhook-secret\n${tenantId}\n${secretId}`;
}
