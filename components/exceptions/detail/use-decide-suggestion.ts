"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { resourceKey } from "#components/kit/query.ts";
import { goToRow, rowAfter } from "#components/kit/rows.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { formatMoney } from "#components/ui/money.ts";
import { toast } from "#components/ui/toast.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import {
  confirmMatchContract,
  createMatchContract,
  type Match,
  rejectMatchContract,
} from "#lib/matching/contract.ts";
import { boardsKey, exceptionsKey } from "../queries.ts";
import { recordAction } from "../undo.ts";
import { useUndoAction } from "../use-undo.ts";

type Adjustment = Match["adjustments"][number];
type Decision =
  | { action: "confirm" }
  | { action: "reject" }
  | { action: "match"; adjustment: Adjustment };

/**
 * Confirms or rejects the suggestion of an exception. A difference that nothing explains is
 * recorded with the match by those who may match by hand; others confirm it with the difference.
 */
export function useDecideSuggestion(exception: Exception, match: Match) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const undoAction = useUndoAction();
  const mayDecide = useIsAllowed(confirmMatchContract.access);
  const mayMatch = useIsAllowed(createMatchContract.access);
  const [isExplaining, setExplaining] = useState(false);
  const { id } = exception;
  const money = formatMoney(Math.abs(match.amount_minor), match.currency);

  function send(decision: Decision, idempotencyKey: string): Promise<Match> {
    const call = { tenant, params: { id: match.id }, idempotencyKey };
    if (decision.action === "confirm") return callApi(confirmMatchContract, call);
    if (decision.action === "reject") return callApi(rejectMatchContract, call);
    return callApi(createMatchContract, {
      tenant,
      params: { id: match.reconciliation_id },
      body: {
        line_ids: match.members.map(({ line_id }) => line_id),
        adjustments: [...match.adjustments, decision.adjustment],
      },
      idempotencyKey,
    });
  }

  const { start, isPending } = useMutate({
    send: ({ decision }: { decision: Decision; next: string | null }, idempotencyKey) =>
      send(decision, idempotencyKey),
    onDone: (decided, { decision: { action }, next }) => {
      const isMatch = action !== "reject";
      const undoable = {
        id,
        title: exception.title,
        done: isMatch ? `Confirmed ${money}` : `Rejected ${money}`,
        undone: isMatch ? `Match of ${money} undone` : `Rejection of ${money} undone`,
        steps: [{ decision: { reconciliation_id: match.reconciliation_id, match_id: decided.id } }],
        etag: Promise.resolve(null),
      };
      recordAction(undoable);
      toast(undoable.done, {
        description: undoable.title,
        action: { label: "Undo", run: () => undoAction(undoable) },
      });
      cache.invalidateQueries({ queryKey: boardsKey(tenant) });
      cache.invalidateQueries({ queryKey: resourceKey(tenant, "reconciliations") });
      if (isMatch && next !== null)
        goToRow(document.querySelector<HTMLAnchorElement>(`a[data-row="${next}"]`) ?? undefined);
    },
    failed: "Couldn't save the decision",
    stale: exceptionsKey(tenant),
  });

  const decide = (decision: Decision) => {
    if (mayDecide && !isPending) start({ decision, next: rowAfter(id)?.dataset.row ?? null });
  };
  return {
    mayDecide,
    isPending,
    /** Whether the form that explains the difference is open. */
    isExplaining,
    /** Whether confirming asks what the difference is. */
    asksToExplain: mayMatch && match.residual_minor !== 0,
    confirm: () =>
      mayMatch && match.residual_minor !== 0 ? setExplaining(true) : decide({ action: "confirm" }),
    reject: () => decide({ action: "reject" }),
    stopExplaining: () => setExplaining(false),
    explain: (kind: Adjustment["kind"], note: string | null) => {
      setExplaining(false);
      decide({
        action: "match",
        adjustment: { kind, amount_minor: match.residual_minor, note },
      });
    },
  };
}
