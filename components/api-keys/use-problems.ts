"use client";

import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Draft, Problems } from "./draft.ts";

const FIELD_OF = {
  name: "name",
  description: "description",
  scopes: "scopes",
  expiry: "expires_at",
  day: "expires_at",
  allowlist: "ip_allowlist",
} as const satisfies Record<keyof Draft, keyof Problems>;

/** What is wrong with a form. Telling it leads to the first such field; a field that is changed is no longer wrong. */
export function useProblems(form: RefObject<HTMLFormElement | null>) {
  const [problems, setProblems] = useState<Problems>({});
  const leads = useRef(false);

  useEffect(() => {
    if (leads.current && Object.keys(problems).length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    leads.current = false;
  }, [form, problems]);

  const tell = useCallback((found: Problems) => {
    leads.current = true;
    setProblems(found);
  }, []);

  function forgive(change: Partial<Draft>) {
    const changed = (Object.keys(change) as (keyof Draft)[]).map((name) => [FIELD_OF[name], undefined]);
    setProblems((known) => ({ ...known, ...Object.fromEntries(changed) }));
  }

  return { problems, tell, forgive };
}
