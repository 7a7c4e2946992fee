"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import { type Connection, deleteConnectionContract } from "#lib/connections/contract.ts";
import { connectionsKey } from "./queries.ts";

export function DeleteDialog({
  connection: { id, address },
  onClose,
}: {
  connection: Connection;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const form = useForm({
    initial: {},
    send: () => callApi(deleteConnectionContract, { tenant, params: { id } }),
    onDone: () => {
      cache.invalidateQueries({ queryKey: connectionsKey(tenant) });
      toast("Deleted the connection", { description: address });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Delete the connection"
      start="Delete connection"
      pending="Deleting…"
      danger
      onClose={onClose}
    >
      <p className="text-sm wrap-anywhere">
        No more files are fetched from {address}, and its credential is permanently deleted. What it
        imported stays.
      </p>
    </FormDialog>
  );
}
