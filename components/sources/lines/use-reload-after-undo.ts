import { useQueryClient } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { resourceKey } from "#components/kit/query.ts";

const CHANGED = [
  "lines",
  "open-lines",
  "suggestions",
  "decisions",
  "reconciliations",
  "exceptions",
];

/** Reloads what undoing a match or an exclusion changes. */
export function useReloadAfterUndo(): () => void {
  const tenant = useTenantId();
  const cache = useQueryClient();
  return () => {
    for (const resource of CHANGED)
      cache.invalidateQueries({ queryKey: resourceKey(tenant, resource) });
  };
}
