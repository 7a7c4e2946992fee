import type { RecordContracts } from "#lib/records/contract.ts";
import { type Access, allows, type Role } from "#lib/wire/access.ts";

/** What the reader may do with the records of a surface. /v1 decides; this is for saying so before it is tried. */
export type Permissions = { write: boolean; restore: boolean };

export function permissionsOf({ update, restore }: RecordContracts, roles: readonly Role[]): Permissions {
  const may = (access: Access) => allows(access, { type: "user", roles });
  return { write: may(update.access), restore: may(restore.access) };
}
