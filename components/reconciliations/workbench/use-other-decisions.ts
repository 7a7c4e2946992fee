"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useMember, useTenantId } from "#components/kit/member.tsx";
import { personName } from "#components/people/person.tsx";
import { toast } from "#components/ui/toast.ts";
import { describeDecision } from "./labels.ts";
import { decisionsOf, openLinesKey, suggestionsKey } from "./queries.ts";

/** Shows other people's decisions within a second, with their names. */
export function useOtherDecisions(id: string): void {
  const tenant = useTenantId();
  const { self } = useMember();
  const cache = useQueryClient();
  const { data } = useQuery(decisionsOf(tenant, id));
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!data) return;
    const now = new Set(data.items.map((item) => `${item.id} ${item.undone_at !== null}`));
    const before = known.current;
    known.current = now;
    if (!before) return;
    const others = data.items.filter(
      (item) =>
        !before.has(`${item.id} ${item.undone_at !== null}`) &&
        (item.undone_by ?? item.created_by) !== self,
    );
    const last = others[0];
    if (!last) return;
    cache.invalidateQueries({ queryKey: openLinesKey(tenant) });
    cache.invalidateQueries({ queryKey: suggestionsKey(tenant) });
    const name = personName(last.undone_by ?? last.created_by);
    toast(last.undone_at ? `${name} undid a decision` : `${name} ${describeDecision(last)}`);
  }, [cache, data, self, tenant]);
}
