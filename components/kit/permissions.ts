"use client";

import { type Access, allows, type Role } from "#lib/wire/access.ts";
import { useMember } from "./member.tsx";

/**
 * Whether a member's roles meet a contract's access. The API enforces it; this only hides or
 * explains what it would refuse.
 */
export function may(roles: readonly Role[], access: Access): boolean {
  return allows(access, { type: "user", roles });
}

/** Like `may`, for the signed-in member. */
export function useIsAllowed(access: Access): boolean {
  return may(useMember().roles, access);
}
