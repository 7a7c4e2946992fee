"use client";

import { useQueryClient } from "@tanstack/react-query";
import { flushSync } from "react-dom";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { goToRow, rowAfter } from "#components/kit/rows.ts";
import { toast } from "#components/ui/toast.ts";
import { pauseExceptionContract } from "#lib/exceptions/pauses/contract.ts";
import { exceptionsKey } from "../queries.ts";
import { remember } from "../undo.ts";
import { PauseDialog } from "./pause-dialog.tsx";

/**
 * Pauses one exception. Its row moves, so the next row gets the focus, and the panel if it is open.
 */
export function PauseExceptionDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  return (
    <PauseDialog
      count={1}
      send={(pause, idempotencyKey) =>
        callApi(pauseExceptionContract, { tenant, params: { id }, body: pause, idempotencyKey })
      }
      onDone={() => {
        const next = rowAfter(id);
        remember({ id, done: "Paused", steps: [{ resume: true }], etag: Promise.resolve(null) });
        toast("Paused");
        // The dialog returns the focus first.
        flushSync(onClose);
        if (document.querySelector("dialog[data-panel][open]")) goToRow(next);
        else next?.focus();
        cache.invalidateQueries({ queryKey: exceptionsKey(tenant) });
      }}
      onClose={onClose}
    />
  );
}
