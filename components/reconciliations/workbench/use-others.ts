"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { callApi } from "#components/api-client.ts";
import { useMember, useTenantId } from "#components/kit/member.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { personName } from "#components/people/person.tsx";
import { toast } from "#components/ui/toast.ts";
import { type Decision, undoDecisionContract } from "#lib/matching/work/contract.ts";
import { reconciliationsKey } from "../queries.ts";
import { decisionsOf, openLinesKey, suggestionsKey } from "./queries.ts";

const DID: Record<Decision["action"], string> = { confirm: "confirmed", reject: "rejected", match: "matched by hand", exclude: "excluded" };

/** What others decide shows here within a second, and says who. */
export function useOthers(id: string): void {
  const tenant = useTenantId();
  const { self } = useMember();
  const cache = useQueryClient();
  const { data } = useQuery(decisionsOf(tenant, id));
  const seen = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!data) return;
    const now = new Set(data.items.map((one) => `${one.id} ${one.undone_at !== null}`));
    const before = seen.current;
    seen.current = now;
    if (!before) return;
    const others = data.items.filter(
      (one) => !before.has(`${one.id} ${one.undone_at !== null}`) && (one.undone_by ?? one.created_by) !== self,
    );
    const last = others[0];
    if (!last) return;
    cache.invalidateQueries({ queryKey: openLinesKey(tenant) });
    cache.invalidateQueries({ queryKey: suggestionsKey(tenant) });
    const who = personName(last.undone_by ?? last.created_by);
    toast(last.undone_at ? `${who} undid a decision` : `${who} ${DID[last.action]} ${sizeOf(last)}`);
  }, [cache, data, self, tenant]);
}

function sizeOf({ action, match_ids }: Decision): string {
  if (action === "exclude") return "a line";
  return match_ids.length === 1 ? "a match" : `${match_ids.length} matches`;
}

/** Takes back the newest decision of one's own, as the server has them. */
export function useUndo(id: string) {
  const tenant = useTenantId();
  const { self } = useMember();
  const cache = useQueryClient();
  return useAttempt({
    send: async (_: undefined, idempotencyKey) => {
      const { items } = await cache.fetchQuery({ ...decisionsOf(tenant, id), staleTime: 0 });
      const last = items.find((one) => one.created_by === self && one.undone_at === null);
      if (!last) return null;
      return callApi(undoDecisionContract, { tenant, params: { id: last.id }, idempotencyKey });
    },
    onDone: (undone) => {
      toast(undone ? `Undone: ${DID[undone.action]} ${sizeOf(undone)}` : "Nothing of yours to undo");
      for (const queryKey of [openLinesKey(tenant), suggestionsKey(tenant), reconciliationsKey(tenant)])
        cache.invalidateQueries({ queryKey });
    },
    failed: "Couldn't undo",
  });
}
