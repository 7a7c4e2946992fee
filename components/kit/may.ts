"use client";

import type { Access, Role } from "#lib/access.ts";
import { useMember } from "./member.tsx";

/** Whether a member's role allows what a contract asks of its caller. /v1 decides; this is for saying so before it is tried. */
export function may(roles: readonly Role[], access: Access): boolean {
  return access.roles === "any" || access.roles.some((role) => roles.includes(role));
}

/** The same of the member who is signed in. */
export function useMay(access: Access): boolean {
  return may(useMember().roles, access);
}
