"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextArea } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { reopenReconciliationContract } from "#lib/matching/periods/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { reconciliationById, reconciliationsKey } from "../queries.ts";

const REASON_MAX = 1000;

export function ReopenDialog({
  reconciliation: { id, name },
  onClose,
}: {
  reconciliation: Reconciliation;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: { reason: "" },
    check: ({ reason }): Record<string, string> =>
      reason.trim() === "" ? { reason: "Enter a reason." } : {},
    send: ({ reason }, idempotencyKey) =>
      callApi(reopenReconciliationContract, {
        tenant,
        params: { id },
        body: { reason },
        idempotencyKey,
      }),
    onDone: (reopened) => {
      cache.setQueryData(reconciliationById(tenant, id).queryKey, reopened);
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
      toast(`Reopened ${name}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Reopen ${name}?`}
      description="Its matches stay, and the signed statement is kept. Closing again signs a new one."
      start="Reopen period"
      pending="Reopening…"
      danger
      onClose={onClose}
    >
      <TextArea
        label="Reason"
        hint="Recorded in the audit log."
        maxLength={REASON_MAX}
        {...form.text("reason")}
        required
      />
    </FormDialog>
  );
}
