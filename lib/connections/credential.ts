import { rowSealer } from "../runtime/seal.ts";

export type SealedCredential = { credential_id: string; sealed_credential: string };

const credentials = rowSealer("connection-credential", "cnc");
export const { unseal: unsealCredential, reseal: resealCredential } = credentials;

export function sealCredential(credential: string, tenantId: string): SealedCredential {
  const { id, sealed } = credentials.seal(credential, tenantId);
  return { credential_id: id, sealed_credential: sealed };
}
