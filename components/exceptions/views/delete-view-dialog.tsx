"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { personName } from "#components/people/person.tsx";
import { toast } from "#components/ui/toast.ts";
import { deleteViewContract, type View } from "#lib/views/contract.ts";
import { viewsKey } from "./queries.ts";

/**
 * Deletes a colleague's view after confirmation, because only its owner could restore it as theirs.
 */
export function DeleteViewDialog({
  view: { id, name, created_by },
  onClose,
}: {
  view: View;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const owner = personName(created_by);
  const form = useForm({
    initial: {},
    send: () => callApi(deleteViewContract, { tenant, params: { id } }),
    onDone: () => {
      cache.invalidateQueries({ queryKey: viewsKey(tenant) });
      toast(`Deleted ${name}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Delete ${name}?`}
      start="Delete view"
      pending="Deleting…"
      danger
      onClose={onClose}
    >
      <p className="text-base text-pretty">
        {owner} shared this view. It disappears for everyone in this tenant, and you can't undo
        that: only {owner} can save it as theirs again.
      </p>
    </FormDialog>
  );
}
