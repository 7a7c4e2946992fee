"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiProblem, callApi, callApiWithTag, newIdempotencyKey } from "#components/api-client.ts";
import { toast } from "#components/ui/toast.ts";
import type { StoredRecord } from "#lib/records/contract.ts";
import { recordByIdQuery, recordsKey } from "./queries.ts";
import { nameOf, surfaceOf } from "./surface.ts";

type Fields = Record<string, unknown>;

/** Creates a record. The same fields sent again are the same request: what was lost on the way is not made twice. */
export function useCreateRecord(tenant: string, path: string) {
  const cache = useQueryClient();
  const sent = useRef({ body: "", key: "" });
  const { contracts, surface } = surfaceOf(path);
  return useMutation({
    mutationFn: (fields: Fields) => {
      const body = JSON.stringify(fields);
      if (body !== sent.current.body) sent.current = { body, key: newIdempotencyKey() };
      return callApi(contracts.create, { tenant, body: fields, idempotencyKey: sent.current.key });
    },
    onSuccess: (record) => {
      toast({ title: `Created ${nameOf(surface, record)}`, failed: false });
      cache.invalidateQueries({ queryKey: recordsKey(tenant, path) });
    },
  });
}

/** Changes a record in the state that `etag` names. */
export function useUpdateRecord(tenant: string, path: string, id: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ patch, etag }: { patch: Fields; etag: string | null }) =>
      callApiWithTag(surfaceOf(path).contracts.update, { tenant, params: { id }, body: patch, ifMatch: etag }),
    onSuccess: (answer) => {
      cache.setQueryData(recordByIdQuery(tenant, path, id, false).queryKey, answer);
      toast({ title: "Saved", failed: false });
      cache.invalidateQueries({ queryKey: [...recordsKey(tenant, path), "pages"] });
    },
  });
}

/** `mayRestore`: then the message has an undo; else it says who can. */
export function useDeleteRecord(tenant: string, path: string, mayRestore: boolean) {
  const cache = useQueryClient();
  const { contracts, surface } = surfaceOf(path);
  const { mutate: restore } = useRestoreRecord(tenant, path);
  return useMutation({
    mutationFn: (record: StoredRecord) => callApi(contracts.remove, { tenant, params: { id: record.id } }),
    onSuccess: (record) => {
      toast({
        title: `Deleted ${nameOf(surface, record)}`,
        description: mayRestore ? "It is in the bin for 30 days." : "A tenant admin can restore it for 30 days.",
        failed: false,
        ...(mayRestore && { action: { label: "Undo", run: () => restore(record) } }),
      });
    },
    onError: sayFailure("Not deleted"),
    onSettled: () => cache.invalidateQueries({ queryKey: recordsKey(tenant, path) }),
  });
}

export function useRestoreRecord(tenant: string, path: string) {
  const cache = useQueryClient();
  const { contracts, surface } = surfaceOf(path);
  return useMutation({
    mutationFn: (record: StoredRecord) => callApi(contracts.restore, { tenant, params: { id: record.id } }),
    onSuccess: (record) => toast({ title: `Restored ${nameOf(surface, record)}`, failed: false }),
    onError: sayFailure("Not restored"),
    onSettled: () => cache.invalidateQueries({ queryKey: recordsKey(tenant, path) }),
  });
}

function sayFailure(title: string) {
  return (error: Error) => {
    const requestId = error instanceof ApiProblem && error.requestId ? ` Request ${error.requestId}.` : "";
    toast({ title, description: error.message + requestId, failed: true });
  };
}
