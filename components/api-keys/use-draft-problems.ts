"use client";

import type { RefObject } from "react";
import { useProblems } from "#components/ui/use-problems.ts";
import type { Draft, Problems } from "./draft.ts";

const FIELD_OF = {
  name: "name",
  description: "description",
  scopes: "scopes",
  expiry: "expires_at",
  day: "expires_at",
  allowlist: "ip_allowlist",
} as const satisfies Record<keyof Draft, keyof Problems>;

/** What is wrong with the form of a key: what is changed of its draft is forgiven. */
export function useDraftProblems(form: RefObject<HTMLFormElement | null>) {
  const { problems, tell, forgive } = useProblems(form);
  const forgiveChange = (change: Partial<Draft>) => forgive(...(Object.keys(change) as (keyof Draft)[]).map((name) => FIELD_OF[name]));
  return { problems, tell, forgive: forgiveChange };
}
