"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#components/api-client.ts";
import { toast } from "#components/ui/toast.ts";
import { createReconciliationContract, updateReconciliationContract } from "#lib/reconciliations/contract.ts";
import { reconciliationByIdQuery, reconciliationsKey } from "./queries.ts";

export type NewReconciliation = z.input<NonNullable<typeof createReconciliationContract.body>>;
export type ReconciliationPatch = z.input<NonNullable<typeof updateReconciliationContract.body>>;

export function useCreateReconciliation(tenant: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (fields: NewReconciliation) => callApi(createReconciliationContract, { tenant, body: fields }),
    onSuccess: ({ name }) => {
      toast({ title: `Created ${name}`, failed: false });
      return cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
    },
  });
}

/** `done`: what to say when it worked. */
export function useUpdateReconciliation(tenant: string, id: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ patch }: { patch: ReconciliationPatch; done: string }) =>
      callApi(updateReconciliationContract, { tenant, params: { id }, body: patch }),
    onSuccess: (reconciliation, { done }) => {
      cache.setQueryData(reconciliationByIdQuery(tenant, id).queryKey, reconciliation);
      toast({ title: done, failed: false });
    },
    onError: (error) => toast({ title: "Not saved", description: error.message, failed: true }),
    onSettled: () => cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) }),
  });
}
