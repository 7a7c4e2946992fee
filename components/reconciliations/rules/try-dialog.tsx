"use client";

import type { ReactNode } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import { putRulesContract } from "#lib/matching/rules/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import type { RulesDraft } from "./sentence.ts";
import { Trials } from "./trial.tsx";

/**
 * Previews the effect of the rules on this period and past ones. `children`: the changes to the
 * rules.
 */
export function TryDialog({
  reconciliation,
  title = "Save these rules?",
  draft,
  etag,
  onSaved,
  onClose,
  children,
}: {
  reconciliation: Reconciliation;
  title?: string;
  draft: RulesDraft;
  etag: string | null;
  onSaved: () => void;
  onClose: () => void;
  children?: ReactNode;
}) {
  const tenant = useTenantId();
  const { id, closed_at } = reconciliation;
  const form = useForm({
    initial: draft,
    send: (rules) =>
      callApi(putRulesContract, { tenant, params: { id }, body: rules, ifMatch: etag }),
    onDone: ({ version }) => {
      toast(`Saved version ${version}. Open periods run again.`);
      onSaved();
    },
  });
  return (
    <FormDialog
      form={form}
      title={title}
      description={
        closed_at
          ? "This period is closed and isn't run again. Open periods of these sources are."
          : "What would change in this period and in past ones. Nothing is kept until you save."
      }
      start="Save rules"
      pending="Saving…"
      onClose={onClose}
    >
      {children}
      <Trials reconciliation={reconciliation} draft={draft} />
    </FormDialog>
  );
}
