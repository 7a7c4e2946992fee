import { rowSealer } from "../runtime/seal.ts";
import type { Connection } from "./contract.ts";

export type SealedCredential = { credential_id: string; sealed_credential: string };

const credentials = rowSealer("connection-credential", "cnc");
export const { reseal: resealCredential } = credentials;

/** A connection with its credential as the database stores it. */
export type SealedConnection = Connection & { credential_id?: string; sealed?: string };

export function unsealConnection(
  { sealed, credential_id = "", ...settings }: SealedConnection,
  tenantId: string,
): Connection & { credential: string | null } {
  const credential = sealed ? credentials.unseal(sealed, tenantId, credential_id) : null;
  return { ...settings, credential };
}

export function sealCredential(credential: string, tenantId: string): SealedCredential {
  const { id, sealed } = credentials.seal(credential, tenantId);
  return { credential_id: id, sealed_credential: sealed };
}
