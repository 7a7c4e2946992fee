"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { type EntryBatch, markEntryBatchExportedContract } from "#lib/entries/contract.ts";
import { reconciliationsKey } from "../queries.ts";
import { batchById } from "./queries.ts";

const REFERENCE_MAX = 200;

export function ExportedDialog({
  batch: { id, number },
  onClose,
}: {
  batch: EntryBatch;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: { ledger_reference: "" },
    check: () => ({}),
    send: ({ ledger_reference }, idempotencyKey) =>
      callApi(markEntryBatchExportedContract, {
        tenant,
        params: { id },
        body: { ledger_reference: ledger_reference.trim() || null },
        idempotencyKey,
      }),
    onDone: (marked) => {
      cache.setQueryData(batchById(tenant, id).queryKey, marked);
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
      toast(`Batch ${number} is marked as exported`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Mark batch ${number} as exported?`}
      description="Do this once your ledger has the entries. It can't be taken back."
      start="Mark as exported"
      pending="Marking…"
      onClose={onClose}
    >
      <TextField
        label="Reference in the ledger"
        hint="Optional: the number that your ledger gave them."
        maxLength={REFERENCE_MAX}
        {...form.text("ledger_reference")}
      />
    </FormDialog>
  );
}
