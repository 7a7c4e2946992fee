"use client";

import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { forgiven, type Problems, problemAt, problemsOf } from "./problems.ts";
import { useAttempt } from "./use-attempt.ts";

type Declared<Draft, Answer> = {
  initial: Draft | (() => Draft);
  /** What is wrong before anything is sent. */
  check?: (draft: Draft) => Problems;
  send: (draft: Draft, idempotencyKey: string) => Promise<Answer>;
  onDone: (answer: Answer, sent: Draft) => void;
};

/** A form: what is typed (its fields named as in the body), what is wrong with it, and the attempt that sends it. */
export function useForm<Draft extends object, Answer>({ initial, check, send, onDone }: Declared<Draft, Answer>) {
  const ref = useRef<HTMLFormElement>(null);
  const busy = useRef(false);
  const leads = useRef(false);
  const [draft, setDraft] = useState(initial);
  const [problems, setProblems] = useState<Problems>({});

  // Saying what is wrong leads to the first such field.
  useEffect(() => {
    if (leads.current && Object.keys(problems).length > 0) ref.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    leads.current = false;
  }, [problems]);

  function tell(found: Problems): void {
    leads.current = true;
    setProblems(found);
  }

  const attempt = useAttempt({
    send: (sent: Draft, key) =>
      send(sent, key).finally(() => {
        busy.current = false;
      }),
    onDone,
    onRefused: (error) => tell(problemsOf(error)),
  });

  function start(): void {
    if (busy.current) return;
    busy.current = true;
    attempt.start(draft);
  }

  function change(fields: Partial<Draft>): void {
    setDraft((typed) => ({ ...typed, ...fields }));
    setProblems((known) => forgiven(known, Object.keys(fields)));
  }

  const problem = (field: keyof Draft & string) => problemAt(problems, field);
  const placed = Object.keys(problems).some((path) => (path.split(".")[0] ?? path) in draft);
  return {
    ...attempt,
    ref,
    draft,
    problems,
    problem,
    change,
    /** What a field of text needs. */
    text: (field: keyof Draft & string) => ({
      name: field as string,
      value: String(draft[field]),
      error: problem(field),
      onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => change({ [field]: target.value } as Partial<Draft>),
    }),
    /** Changes what is typed without forgiving anything: by what has come from elsewhere meanwhile. */
    rebase: (update: (typed: Draft) => Draft) => setDraft(update),
    /** Begins anew, with what comes from elsewhere. */
    restart(from: Draft): void {
      setDraft(from);
      setProblems({});
      attempt.reset();
    },
    submit(): void {
      const found = check?.(draft) ?? {};
      tell(found);
      if (Object.keys(found).length === 0) start();
    },
    retry: start,
    /** Why it was refused, where no field says so. */
    unplaced: attempt.refused && !placed ? attempt.refused : null,
  };
}

/** What the fields of a form know of it. */
export type Fields<Draft extends object> = Pick<ReturnType<typeof useForm<Draft, unknown>>, "draft" | "problem" | "change" | "text">;

/** What the frame of a form (a dialog's, a panel's) knows of it. */
export type FormState = Pick<
  ReturnType<typeof useForm<object, unknown>>,
  "ref" | "isPending" | "uncertain" | "unplaced" | "submit" | "retry"
>;
