"use client";

import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** What is wrong, by the field of the body that it is about. */
export type Problems = Readonly<Record<string, string | undefined>>;

/** Telling what is wrong leads to the first such field; a field that is changed is no longer wrong. */
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
  const forgive = useCallback((...fields: string[]) => {
    setProblems((known) => ({ ...known, ...Object.fromEntries(fields.map((field) => [field, undefined])) }));
  }, []);
  return { problems, tell, forgive };
}
