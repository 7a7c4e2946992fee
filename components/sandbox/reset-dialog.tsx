"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { Note } from "#components/ui/note.tsx";
import { toast } from "#components/ui/toast.ts";
import { resetSandboxContract } from "#lib/tenants/contract.ts";

/** Asks before everything in the sandbox is deleted. `sample`: and replaced by the sample month. */
export function ResetDialog({ sample, onClose }: { sample: boolean; onClose: () => void }) {
  const cache = useQueryClient();
  const router = useRouter();
  const tenant = useTenantId();
  const form = useForm({
    initial: { sample },
    send: (body, idempotencyKey) => callApi(resetSandboxContract, { tenant, body, idempotencyKey }),
    onDone: ({ reconciliation_id: id }) => {
      cache.clear();
      toast(sample ? "Sample month loaded" : "Sandbox reset");
      onClose();
      if (id) router.push(`/${tenant}/reconciliations/${id}/workbench`);
    },
  });
  return (
    <FormDialog
      form={form}
      title={sample ? "Load sample month" : "Reset sandbox"}
      description={
        `Deletes what is in this sandbox${sample ? " first" : ""}. ` +
        "Your live data isn't touched."
      }
      start={sample ? "Delete data and load" : "Reset sandbox"}
      pending={sample ? "Loading…" : "Resetting…"}
      danger
      onClose={onClose}
    >
      <Note tone="warning">
        Sources, lines, matches, exceptions, records and deliveries of this sandbox are lost. This
        can't be undone.
      </Note>
    </FormDialog>
  );
}
