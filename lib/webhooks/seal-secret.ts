import { randomUUID } from "node:crypto";
import { seal, unseal } from "../runtime/seal.ts";

export type SealedSecret = { secret_id: string; sealed_secret: string };

/** Encrypts a webhook's secret for one tenant and one row, so that the database never sees it. */
export function sealSecret(secret: string, tenantId: string): SealedSecret {
  const secretId = `whs_${randomUUID().replaceAll("-", "")}`;
  return { secret_id: secretId, sealed_secret: seal(secret, bindingOf(tenantId, secretId)) };
}

/** @throws Error if none of the server's keys fits. */
export function unsealSecret(sealed: string, tenantId: string, secretId: string): string {
  return unseal(sealed, bindingOf(tenantId, secretId));
}

/** Encrypts the same secret with the newest server key. */
export function resealSecret(sealed: string, tenantId: string, secretId: string): string {
  return seal(unsealSecret(sealed, tenantId, secretId), bindingOf(tenantId, secretId));
}

function bindingOf(tenantId: string, secretId: string): string {
  return `webhook-secret\n${tenantId}\n${secretId}`;
}
