"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Dialog, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { createApiKeyContract } from "#lib/api-keys/contract.ts";
import { AttemptActions } from "./attempt-actions.tsx";
import { type Draft, inputOf, NEW_DRAFT, type NewKeyInput, problemsFrom, problemsOf } from "./draft.ts";
import { KeyFields } from "./key-fields.tsx";
import { useDraftProblems } from "./use-draft-problems.ts";
import { useIssueKey } from "./use-issue-key.ts";

export function CreateKeyDialog({ tenantId, address, onClose }: { tenantId: string; address: string | null; onClose: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(NEW_DRAFT);
  const { problems, tell, forgive } = useDraftProblems(form);
  const attempt = useIssueKey({
    tenantId,
    rotated: false,
    issue: (body: NewKeyInput, idempotencyKey) =>
      callApi(createApiKeyContract, { tenant: tenantId, params: { id: tenantId }, body, idempotencyKey }),
    onClose,
  });
  const { refused } = attempt;
  useEffect(() => {
    if (refused) tell(problemsFrom(refused));
  }, [refused, tell]);

  function onChange(change: Partial<Draft>) {
    setDraft((typed) => ({ ...typed, ...change }));
    forgive(change);
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    const missing = problemsOf(draft);
    tell(missing);
    if (Object.keys(missing).length === 0) attempt.start(inputOf(draft, serverNow()));
  }

  return (
    <Dialog onClose={attempt.close} title="Create an API key" description="For a server that calls Tieout without a person signing in.">
      <form ref={form} onSubmit={onSubmit} noValidate className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          {refused && Object.keys(problemsFrom(refused)).length === 0 && <Note tone="danger">{refused.message}</Note>}
          <fieldset disabled={attempt.isPending || attempt.uncertain !== null} className="flex min-w-0 flex-col gap-6">
            <legend className="sr-only">The key</legend>
            <KeyFields draft={draft} onChange={onChange} problems={problems} address={address} />
          </fieldset>
        </DialogBody>
        <AttemptActions attempt={attempt} start="Create key" pending="Creating…" />
      </form>
    </Dialog>
  );
}
