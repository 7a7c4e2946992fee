"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ReasonDialog } from "#components/kit/reason-dialog.tsx";
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
  return (
    <ReasonDialog
      title={`Remove ${file_name}?`}
      description="The file is deleted for good. Its hash and your reason stay in the audit log."
      maxLength={REASON_MAX}
      start="Remove file"
      pending="Removing…"
      danger
      send={(reason, idempotencyKey) =>
        callApi(removeEvidenceContract, {
          tenant,
          params: { id },
          body: { reason },
          idempotencyKey,
        })
      }
      onDone={() => {
        cache.invalidateQueries({ queryKey: evidenceKey(tenant) });
        toast(`Removed ${file_name}`);
      }}
      onClose={onClose}
    />
  );
}
