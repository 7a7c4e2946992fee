import { updateReconciliationContract } from "#lib/reconciliations/contract.ts";
import type { Role } from "#lib/wire/access.ts";

/** /v1 decides; this is for saying so before it is tried. */
export function mayWrite(roles: readonly Role[]): boolean {
  const { access } = updateReconciliationContract;
  return access.roles === "any" || access.roles.some((role) => roles.includes(role));
}
