"use client";

import { useMember } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import type { View } from "#lib/views/contract.ts";
import { needs } from "#lib/wire/access.ts";

/**
 * Whether the user may change a view: their own views, and shared ones if they administer the
 * tenant.
 */
export function useMayChangeView(): (view: View) => boolean {
  const { self } = useMember();
  const administers = useIsAllowed(needs("write:people"));
  return ({ created_by, shared }) => created_by === self || (shared && administers);
}
