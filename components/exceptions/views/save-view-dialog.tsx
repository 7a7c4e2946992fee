"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { createViewContract } from "#lib/views/contract.ts";
import { VIEWS } from "#lib/wire/facts.gen.ts";
import type { BoardSearch } from "../board/search.ts";
import { filtersToSave } from "./filters-of-view.ts";
import { viewsKey } from "./queries.ts";

/** Saves the board's filters under a name. */
export function SaveViewDialog({ search, onClose }: { search: BoardSearch; onClose: () => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: { name: "", shared: false },
    check: ({ name }) => ({ ...(name.trim() === "" && { name: "Enter a name." }) }),
    send: ({ name, shared }, idempotencyKey) =>
      callApi(createViewContract, {
        tenant,
        body: { name: name.trim(), shared, filters: filtersToSave(search), sort_by: search.sortBy },
        idempotencyKey,
      }),
    onDone: ({ name }) => {
      toast(`Saved ${name}`);
      cache.invalidateQueries({ queryKey: viewsKey(tenant) });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Save view"
      description="Saves these filters and the sort order under a name."
      start="Save view"
      pending="Saving…"
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="Mine, urgent"
        maxLength={VIEWS.name.max}
        autoComplete="off"
        {...form.text("name")}
        required
      />
      <CheckField
        label="Share with everyone in this tenant"
        checked={form.draft.shared}
        onChange={({ target }) => form.change({ shared: target.checked })}
      />
    </FormDialog>
  );
}
