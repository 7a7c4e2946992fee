import { randomUUID } from "node:crypto";
import { seal, unseal } from "../runtime/seal.ts";

export type SealedCredential = { credential_id: string; sealed_credential: string };

/** Encrypts a credential for one tenant and one row, so that the database never sees it. */
export function sealCredential(credential: string, tenantId: string): SealedCredential {
  const id = `cnc_${randomUUID().replaceAll("-", "")}`;
  return { credential_id: id, sealed_credential: seal(credential, bindingOf(tenantId, id)) };
}

/** @throws Error if none of the server's keys fits. */
export function unsealCredential(sealed: string, tenantId: string, id: string): string {
  return unseal(sealed, bindingOf(tenantId, id));
}

/** Encrypts the same credential with the newest server key. */
export function resealCredential(sealed: string, tenantId: string, id: string): string {
  return seal(unsealCredential(sealed, tenantId, id), bindingOf(tenantId, id));
}

function bindingOf(tenantId: string, id: string): string {
  return `connection-credential\n${tenantId}\n${id}`;
}
