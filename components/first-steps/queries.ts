import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { toast } from "#components/ui/toast.ts";
import { type FirstSteps, getFirstStepsContract, putFirstStepsContract } from "#lib/first-steps/contract.ts";

const REFRESH_MS = 2500;

/** Looked at again and again, while somebody looks, until all is done. */
export function firstStepsQuery(tenant: string) {
  return queryOptions({
    queryKey: ["tenants", tenant, "first-steps"],
    queryFn: ({ signal }) => callApi(getFirstStepsContract, { tenant, signal }),
    refetchInterval: ({ state: { data } }) => (data && isComplete(data) ? false : REFRESH_MS),
  });
}

export function isComplete({ steps }: FirstSteps): boolean {
  return steps.every(({ done }) => done);
}

export function useDismissFirstSteps(tenant: string) {
  const cache = useQueryClient();
  const { queryKey } = firstStepsQuery(tenant);
  return useMutation({
    mutationFn: (dismissed: boolean) => callApi(putFirstStepsContract, { tenant, body: { dismissed } }),
    onMutate: (dismissed) => cache.setQueryData(queryKey, (known) => known && { ...known, dismissed }),
    onSuccess: (answer) => cache.setQueryData(queryKey, answer),
    onError(error) {
      cache.invalidateQueries({ queryKey });
      toast({ title: "That was not kept", description: error.message, failed: true });
    },
  });
}
