"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { toast } from "#components/ui/toast.ts";
import { pauseExceptionContract } from "#lib/exceptions/contract.ts";
import { PauseDialog } from "./pause-dialog.tsx";
import { exceptionsKey } from "./queries.ts";

/** Pauses one exception. */
export function PauseExceptionDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  return (
    <PauseDialog
      count={1}
      send={(pause, idempotencyKey) => callApi(pauseExceptionContract, { tenant, params: { id }, body: pause, idempotencyKey })}
      onDone={() => {
        toast("Paused");
        cache.invalidateQueries({ queryKey: exceptionsKey(tenant) });
        onClose();
      }}
      onClose={onClose}
    />
  );
}
