"use client";

import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { type Problems, problemAt, problemsOf, withoutFields } from "./problems.ts";
import { useMutate } from "./use-mutate.ts";

type FormOptions<Draft, Result> = {
  initial: Draft | (() => Draft);
  /** Validates before anything is sent. */
  check?: (draft: Draft) => Problems;
  send: (draft: Draft, idempotencyKey: string) => Promise<Result>;
  onDone: (result: Result, sent: Draft) => void;
  /** Maps a path of the body to the draft's field, if they are named differently. */
  fieldOf?: (path: string, sent: Draft) => string;
};

/** A form: its draft (fields named as in the body), its problems, and the action that sends it. */
export function useForm<Draft extends object, Result>({
  initial,
  check,
  send,
  onDone,
  fieldOf,
}: FormOptions<Draft, Result>) {
  const ref = useRef<HTMLFormElement>(null);
  const busy = useRef(false);
  const focusesProblem = useRef(false);
  const [draft, setDraft] = useState(initial);
  const sentDraft = useRef(draft);
  const [problems, setProblems] = useState<Problems>({});

  // New problems focus the first invalid field.
  useEffect(() => {
    if (focusesProblem.current && Object.keys(problems).length > 0)
      ref.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    focusesProblem.current = false;
  }, [problems]);

  function showProblems(found: Problems): void {
    focusesProblem.current = true;
    setProblems(found);
  }

  const attempt = useMutate({
    send: (sent: Draft, key) =>
      send(sent, key).finally(() => {
        busy.current = false;
      }),
    onDone,
    onRefused: (error) =>
      showProblems(problemsOf(error, fieldOf && ((path) => fieldOf(path, sentDraft.current)))),
  });

  function start(): void {
    if (busy.current) return;
    busy.current = true;
    sentDraft.current = draft;
    attempt.start(draft);
  }

  function change(fields: Partial<Draft>): void {
    setDraft((typed) => ({ ...typed, ...fields }));
    setProblems((known) => withoutFields(known, Object.keys(fields)));
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
    /** The props of a text field. */
    text: (field: keyof Draft & string) => ({
      name: field as string,
      value: String(draft[field]),
      error: problem(field),
      onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        change({ [field]: target.value } as Partial<Draft>),
    }),
    /** Updates the draft without clearing problems, for changes from elsewhere. */
    rebase: (update: (typed: Draft) => Draft) => setDraft(update),
    /** Starts over from `from`. */
    restart(from: Draft): void {
      setDraft(from);
      setProblems({});
      attempt.reset();
    },
    submit(): void {
      const found = check?.(draft) ?? {};
      showProblems(found);
      if (Object.keys(found).length === 0) start();
    },
    retry: start,
    /** A refusal that isn't shown at a field. */
    unplaced: attempt.refused && !placed ? attempt.refused : null,
  };
}

/** The part of a form that its fields use. */
export type Fields<Draft extends object> = Pick<
  ReturnType<typeof useForm<Draft, unknown>>,
  "draft" | "problem" | "change" | "text"
>;

/** The part of a form that its frame (dialog or panel) uses. */
export type FormState = Pick<
  ReturnType<typeof useForm<object, unknown>>,
  "ref" | "isPending" | "uncertain" | "unplaced" | "submit" | "retry"
>;
