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

/** Reads again what a match or an exclusion that was taken back changes. */
export function useTakenBack(): () => void {
  const tenant = useTenantId();
  const cache = useQueryClient();
  return () => {
    for (const resource of CHANGED)
      cache.invalidateQueries({ queryKey: resourceKey(tenant, resource) });
  };
}
