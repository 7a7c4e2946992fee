"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { updateViewContract, type View } from "#lib/views/contract.ts";
import { VIEWS } from "#lib/wire/facts.gen.ts";
import { viewsKey } from "./queries.ts";

export function RenameViewDialog({ view, onClose }: { view: View; onClose: () => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: { name: view.name },
    check: ({ name }) => ({ ...(name.trim() === "" && { name: "Enter a name." }) }),
    send: ({ name }) =>
      callApi(updateViewContract, { tenant, params: { id: view.id }, body: { name: name.trim() } }),
    onDone: ({ name }) => {
      toast(`Renamed to ${name}`);
      cache.invalidateQueries({ queryKey: viewsKey(tenant) });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Rename view"
      start="Rename"
      pending="Renaming…"
      onClose={onClose}
    >
      <TextField
        label="Name"
        maxLength={VIEWS.name.max}
        autoComplete="off"
        {...form.text("name")}
        required
      />
    </FormDialog>
  );
}
