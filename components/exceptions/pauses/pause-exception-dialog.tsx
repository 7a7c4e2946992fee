"use client";

import { useQueryClient } from "@tanstack/react-query";
import { flushSync } from "react-dom";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { goToRow, rowAfter } from "#components/kit/rows.ts";
import { toast } from "#components/ui/toast.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { pauseExceptionContract } from "#lib/exceptions/pauses/contract.ts";
import { cachedException } from "../board/board-cache.ts";
import { exceptionById, exceptionsKey } from "../queries.ts";
import { recordAction } from "../undo.ts";
import { useUndoAction } from "../use-undo.ts";
import { PauseDialog } from "./pause-dialog.tsx";

/**
 * Pauses one exception. Its row moves, so the next row gets the focus, and the panel if it is open.
 */
export function PauseExceptionDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const undoAction = useUndoAction();
  const titleOf = (exception: string) =>
    cache.getQueryData<Exception>(exceptionById(tenant, exception).queryKey)?.title ??
    cachedException(cache, tenant, exception)?.title ??
    "";
  return (
    <PauseDialog
      count={1}
      send={(pause, idempotencyKey) =>
        callApi(pauseExceptionContract, { tenant, params: { id }, body: pause, idempotencyKey })
      }
      onDone={() => {
        const next = rowAfter(id);
        const action = {
          id,
          title: titleOf(id),
          done: "Paused",
          undone: "Pause undone",
          steps: [{ resume: true as const }],
          etag: Promise.resolve(null),
        };
        recordAction(action);
        toast(action.done, {
          description: action.title,
          action: { label: "Undo", run: () => undoAction(action) },
        });
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
