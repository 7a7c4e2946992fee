"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ReasonDialog } from "#components/kit/reason-dialog.tsx";
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
  const call = { tenant, params: { id } };
  return (
    <ReasonDialog
      title={`Reopen ${name}?`}
      description="Its matches stay, and the signed statement is kept. Closing again signs a new one."
      hint="Recorded in the audit log."
      maxLength={REASON_MAX}
      isLong
      start="Reopen period"
      pending="Reopening…"
      danger
      send={(reason, idempotencyKey) =>
        callApi(reopenReconciliationContract, { ...call, body: { reason }, idempotencyKey })
      }
      onDone={(reopened) => {
        cache.setQueryData(reconciliationById(tenant, id).queryKey, reopened);
        cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
        toast(`Reopened ${name}`);
      }}
      onClose={onClose}
    />
  );
}
