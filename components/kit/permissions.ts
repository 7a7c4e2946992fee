"use client";

import { type Access, allows, type Role } from "#lib/wire/access.ts";
import { useMember } from "./member.tsx";

/** Whether a member's roles meet a contract's access. /v1 decides; this only hides or explains what would be refused. */
export function may(roles: readonly Role[], access: Access): boolean {
  return allows(access, { type: "user", roles });
}

/** As `may`, for the signed-in member. */
export function useIsAllowed(access: Access): boolean {
  return may(useMember().roles, access);
}
