"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { type Evidence, removeEvidenceContract } from "#lib/evidence/contract.ts";
import { evidenceKey } from "./queries.ts";

const REASON_MAX = 500;

export function RemoveDialog({
  file: { id, file_name },
  onClose,
}: {
  file: Evidence;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: { reason: "" },
    check: ({ reason }): Record<string, string> =>
      reason.trim() === "" ? { reason: "Enter a reason." } : {},
    send: ({ reason }, idempotencyKey) =>
      callApi(removeEvidenceContract, {
        tenant,
        params: { id },
        body: { reason },
        idempotencyKey,
      }),
    onDone: () => {
      cache.invalidateQueries({ queryKey: evidenceKey(tenant) });
      toast(`Removed ${file_name}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Remove ${file_name}?`}
      description="The file is deleted for good. Its hash and your reason stay in the audit log."
      start="Remove file"
      pending="Removing…"
      danger
      onClose={onClose}
    >
      <TextField label="Reason" maxLength={REASON_MAX} {...form.text("reason")} required />
    </FormDialog>
  );
}
