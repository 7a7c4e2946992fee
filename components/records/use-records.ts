"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi, callApiWithTag } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { toast } from "#components/ui/toast.ts";
import type { StoredRecord } from "#lib/records/contract.ts";
import { recordById, recordListKey, recordsKey } from "./queries.ts";
import type { RecordFields } from "./record-form.tsx";
import { nameOf, surfaceOf } from "./surface.ts";

/** Sends a new record. */
export function useCreateRecord(path: string, onCreated: (id: string) => void) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { contracts, surface } = surfaceOf(path);
  return {
    send: (body: RecordFields, idempotencyKey: string) =>
      callApi(contracts.create, { tenant, body, idempotencyKey }),
    onDone: (record: StoredRecord) => {
      toast(`Created ${nameOf(surface, record)}`);
      cache.invalidateQueries({ queryKey: recordsKey(tenant, path) });
      onCreated(record.id);
    },
  };
}

/** Sends a change to the version that `etag` identifies. */
export function useUpdateRecord(path: string, id: string) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  return {
    send: (patch: RecordFields, etag: string | null) =>
      callApiWithTag(surfaceOf(path).contracts.update, {
        tenant,
        params: { id },
        body: patch,
        ifMatch: etag,
      }),
    saved: (answer: { data: StoredRecord; etag: string | null }) => {
      cache.setQueryData(recordById(tenant, path, id, false).queryKey, answer);
      toast("Saved", { description: nameOf(surfaceOf(path).surface, answer.data) });
      cache.invalidateQueries({ queryKey: recordListKey(tenant, path) });
    },
    newest: () => cache.fetchQuery({ ...recordById(tenant, path, id, false), staleTime: 0 }),
  };
}

/** `mayRestore`: the toast offers Undo; otherwise it says who can restore. */
export function useDeleteRecord(
  path: string,
  { mayRestore, onDeleted }: { mayRestore: boolean; onDeleted: () => void },
) {
  const tenant = useTenantId();
  const { contracts, surface } = surfaceOf(path);
  const { start: restore } = useRestoreRecord(path);
  return useMutate({
    send: (record: StoredRecord) =>
      callApi(contracts.remove, { tenant, params: { id: record.id } }),
    onDone: (_, record) => {
      toast(`Deleted ${nameOf(surface, record)}`, {
        description: mayRestore
          ? "It stays in the bin for 30 days."
          : "A tenant admin can restore it for 30 days.",
        action: mayRestore ? { label: "Undo", run: () => restore(record) } : undefined,
      });
      onDeleted();
    },
    failed: "Couldn't delete",
    stale: recordsKey(tenant, path),
  });
}

export function useRestoreRecord(path: string) {
  const tenant = useTenantId();
  const { contracts, surface } = surfaceOf(path);
  return useMutate({
    send: (record: StoredRecord) =>
      callApi(contracts.restore, { tenant, params: { id: record.id } }),
    onDone: (record) => toast(`Restored ${nameOf(surface, record)}`),
    failed: "Couldn't restore",
    stale: recordsKey(tenant, path),
  });
}
