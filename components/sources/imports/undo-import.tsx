"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Undo2, X } from "lucide-react";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { toast } from "#components/ui/toast.ts";
import { type Import, undoImportContract } from "#lib/imports/contract.ts";
import { linesKey } from "../lines/queries.ts";
import { sourcesKey } from "../queries.ts";
import { importById, importsKey } from "./queries.ts";

function useUndo(id: string) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  return {
    send: (idempotencyKey: string) =>
      callApi(undoImportContract, { tenant, params: { id }, idempotencyKey }),
    keep(undone: Import) {
      cache.setQueryData(importById(tenant, id).queryKey, undone);
      for (const key of [importsKey(tenant), sourcesKey(tenant), linesKey(tenant)])
        cache.invalidateQueries({ queryKey: key });
    },
  };
}

/** Cancels an import that is queued or being read: nothing of it is stored. */
export function CancelImport({ imported: { id, file_name } }: { imported: Import }) {
  const { send, keep } = useUndo(id);
  const cancel = useMutate<void, Import>({
    send: (_, idempotencyKey) => send(idempotencyKey),
    onDone: (undone) => {
      keep(undone);
      toast("Import cancelled", {
        description: `No lines of ${file_name ?? "the file"} were imported.`,
      });
    },
    failed: "Couldn't cancel the import",
  });
  return (
    <Button disabled={cancel.isPending} onClick={() => cancel.start()}>
      <X aria-hidden className="size-4 text-muted" />
      {cancel.isPending ? "Cancelling…" : "Cancel import"}
    </Button>
  );
}

/** Undoes a finished import after confirmation. */
export function UndoImport({ imported }: { imported: Import }) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Button onClick={() => setConfirming(true)}>
        <Undo2 aria-hidden className="size-4 text-muted" />
        Undo import
      </Button>
      {isConfirming && <UndoDialog imported={imported} onClose={() => setConfirming(false)} />}
    </>
  );
}

function UndoDialog({
  imported: { id, file_name, accepted_count },
  onClose,
}: {
  imported: Import;
  onClose: () => void;
}) {
  const { send, keep } = useUndo(id);
  const form = useForm({
    initial: {},
    send: (_, idempotencyKey) => send(idempotencyKey),
    onDone: (undone) => {
      keep(undone);
      toast(undone.status === "undoing" ? "Undoing the import" : "Import undone", {
        description: file_name ?? pluralize(accepted_count, "line"),
      });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Undo the import of ${file_name ?? "this file"}?`}
      start="Undo import"
      pending="Undoing…"
      danger
      onClose={onClose}
    >
      <p className="text-base text-pretty">
        {accepted_count === 0
          ? "It added no lines, so nothing is removed."
          : `This removes the ${pluralize(accepted_count, "line")} ` +
            "it added and undoes the matches they are in. Lines that " +
            "were there before stay. You can import the file again."}
      </p>
    </FormDialog>
  );
}
