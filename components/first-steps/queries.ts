import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { resourceKey, singleQuery } from "#components/kit/query.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import {
  type FirstSteps,
  getFirstStepsContract,
  putFirstStepsContract,
} from "#lib/first-steps/contract.ts";

const REFRESH_MS = 2500;

/** Polled while the page is visible, until all steps are done. */
export function firstStepsQuery(tenant: string) {
  return singleQuery(
    {
      keyPrefix: resourceKey(tenant, "first-steps"),
      contract: getFirstStepsContract,
      call: { tenant },
    },
    { refetchInterval: ({ state: { data } }) => (data && isComplete(data) ? false : REFRESH_MS) },
  );
}

export function isComplete({ steps }: FirstSteps): boolean {
  return steps.every(({ done }) => done);
}

export function useDismissFirstSteps() {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { queryKey } = firstStepsQuery(tenant);
  const show = (dismissed: boolean) =>
    cache.setQueryData<FirstSteps>(queryKey, (known) => known && { ...known, dismissed });
  return useMutate({
    send: (dismissed: boolean) => callApi(putFirstStepsContract, { tenant, body: { dismissed } }),
    applyOptimistically: async (dismissed) => {
      show(dismissed);
      return () => show(!dismissed);
    },
    onDone: (answer) => cache.setQueryData(queryKey, answer),
    failed: "Couldn't save",
  });
}
