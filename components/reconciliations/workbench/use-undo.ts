"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { callApi, isRefusal, newIdempotencyKey } from "#components/api-client.ts";
import { useMember, useTenantId } from "#components/kit/member.tsx";
import { resourceKey } from "#components/kit/query.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { toast } from "#components/ui/toast.ts";
import {
  type Decision,
  listDecisionsContract,
  undoDecisionContract,
} from "#lib/matching/workbench/contract.ts";
import { reconciliationsKey } from "../queries.ts";
import { undoneLabel } from "./labels.ts";
import { openLinesKey, suggestionsKey } from "./queries.ts";

const DECISIONS_READ = 100;

/** The line at which a decision was made, and the decision's name: "Match of €4,850.00". */
type MadeDecision = { line: string | undefined; label: string };

/**
 * Undoes the user's own decisions, as the server lists them. `onBack`: called with the line of a
 * decision that was made and undone here.
 */
export function useUndo(id: string, onBack: (line: string) => void) {
  const tenant = useTenantId();
  const { self } = useMember();
  const cache = useQueryClient();
  const underWay = useRef<Promise<unknown>>(null);
  // The key belongs to the decision: after a lost response the same decision is undone again,
  // although it may be undone by now.
  const pending = useRef<{ decision: string; key: string }>(null);
  const ownDecisions = useRef(new Map<string, MadeDecision>());

  /** An undo waits until the decision is answered. */
  function follow<Answer>(sent: Promise<Answer>): Promise<Answer> {
    const settle = () => {
      if (underWay.current === sent) underWay.current = null;
    };
    underWay.current = sent;
    sent.then(settle, settle);
    return sent;
  }

  function madeOf({ line_id, match_ids }: Decision): MadeDecision | undefined {
    const [first] = [line_id, ...match_ids].flatMap((about) =>
      about === null ? [] : (ownDecisions.current.get(about) ?? []),
    );
    return first;
  }

  async function find(about: string | null): Promise<Decision | undefined> {
    const { items } = await callApi(listDecisionsContract, {
      tenant,
      params: { id },
      query: { limit: DECISIONS_READ },
    });
    return items.find(
      (item) =>
        item.created_by === self &&
        (item.undone_at === null || item.id === pending.current?.decision) &&
        (about === null || item.line_id === about || item.match_ids.includes(about)),
    );
  }

  async function undoDecision(decision: string): Promise<Decision> {
    if (pending.current?.decision !== decision)
      pending.current = { decision, key: newIdempotencyKey() };
    const call = { tenant, params: { id: decision }, idempotencyKey: pending.current.key };
    const undone = await callApi(undoDecisionContract, call).catch((problem) => {
      if (isRefusal(problem)) pending.current = null;
      throw problem;
    });
    pending.current = null;
    return undone;
  }

  async function undoDecisionAfter(
    before: Promise<unknown> | null,
    about: string | null,
  ): Promise<Decision | null> {
    const failed = await before?.then(
      () => false,
      () => true,
    );
    const found = failed ? undefined : await find(about);
    return found ? undoDecision(found.id) : null;
  }

  const { start, isPending } = useMutate({
    send: (about: string | null) => follow(undoDecisionAfter(underWay.current, about)),
    onDone: (undone) => {
      const own = undone && madeOf(undone);
      toast(undone ? undoneLabel(undone, own?.label) : "Nothing to undo");
      const line = undone && (undone.line_id ?? own?.line);
      if (line) onBack(line);
      for (const queryKey of [
        suggestionsKey(tenant),
        reconciliationsKey(tenant),
        resourceKey(tenant, "decisions"),
      ])
        cache.invalidateQueries({ queryKey });
    },
    failed: "Couldn't undo",
    // Also without an answer, since it may have happened.
    stale: openLinesKey(tenant),
  });
  return {
    isPending,
    follow,
    /** Stores where a match or line was decided, and the decision's name. */
    remember: (about: string, decision: MadeDecision) =>
      void ownDecisions.current.set(about, decision),
    /** The newest decision. */
    undo: () => start(null),
    /** The newest decision about this line or match. */
    undoOf: (about: string) => start(about),
  };
}

export type Undo = ReturnType<typeof useUndo>;
