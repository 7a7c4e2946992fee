"use client";

import { Undo2 } from "lucide-react";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { useForm } from "#components/kit/use-form.ts";
import { Button } from "#components/ui/button.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { toast } from "#components/ui/toast.ts";
import { type Match, undoMatchContract } from "#lib/matching/contract.ts";
import { useReloadAfterUndo } from "./use-reload-after-undo.ts";

/** Undoes a match, made by a run or a person, after confirmation. */
export function UndoMatch({ match }: { match: Match }) {
  const may = useIsAllowed(undoMatchContract.access);
  const [isConfirming, setConfirming] = useState(false);
  if (!may || match.state !== "confirmed") return null;
  return (
    <>
      <Button size="sm" onClick={() => setConfirming(true)}>
        <Undo2 aria-hidden className="size-4 text-muted" />
        Undo match
      </Button>
      {isConfirming && <UndoDialog match={match} onClose={() => setConfirming(false)} />}
    </>
  );
}

function UndoDialog({ match, onClose }: { match: Match; onClose: () => void }) {
  const tenant = useTenantId();
  const reloadAfterUndo = useReloadAfterUndo();
  const form = useForm({
    initial: {},
    send: (_, idempotencyKey) =>
      callApi(undoMatchContract, { tenant, params: { id: match.id }, idempotencyKey }),
    onDone: () => {
      reloadAfterUndo();
      toast("Match undone", { description: formatMoney(match.amount_minor, match.currency) });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Undo this match?"
      start="Undo match"
      pending="Undoing…"
      danger
      onClose={onClose}
    >
      <p className="text-base text-pretty">
        Its lines become open again, and the exceptions it resolved are reopened. Runs won't match
        these lines together again; you still can, by hand.
      </p>
    </FormDialog>
  );
}
