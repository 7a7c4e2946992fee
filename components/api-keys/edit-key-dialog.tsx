"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { toast } from "#components/ui/toast.ts";
import { type ApiKey, updateApiKeyContract } from "#lib/api-keys/contract.ts";
import { apiKeysKey } from "./cache-key.ts";
import { type ApiKeyChange, type Draft, draftOf, type KeyPatch, patchOf, problemsFrom, problemsOf } from "./draft.ts";
import { Impact } from "./impact.tsx";
import { KeyFields } from "./key-fields.tsx";
import { apiKeyImpactQuery, apiKeyQuery } from "./queries.ts";
import { useDraftProblems } from "./use-draft-problems.ts";

type Props = { tenantId: string; apiKey: ApiKey; address: string | null; onClose: () => void };

/** Changes a key; where that would refuse calls, it says which before anything is saved. */
export function EditKeyDialog({ tenantId, apiKey, address, onClose }: Props) {
  const cache = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(() => draftOf(apiKey));
  const { problems, tell, forgive } = useDraftProblems(form);
  const [reviewed, setReviewed] = useState<KeyPatch | null>(null);

  const { mutate, isPending, error } = useMutation({
    networkMode: "always",
    mutationFn: async (patch: KeyPatch) => {
      if (patch !== reviewed && (await wouldRefuse(patch))) return setReviewed(patch);
      const saved = await callApi(updateApiKeyContract, {
        tenant: tenantId,
        params: { id: tenantId, keyId: apiKey.id },
        body: patch,
      });
      cache.setQueryData(apiKeyQuery(tenantId, apiKey.id).queryKey, saved);
      cache.invalidateQueries({ queryKey: apiKeysKey(tenantId) });
      toast({ title: `${saved.name} is saved`, failed: false });
      onClose();
    },
    onError: (refused) => {
      setReviewed(null);
      tell(problemsFrom(refused));
    },
  });

  async function wouldRefuse(patch: KeyPatch): Promise<boolean> {
    const change = changeOf(patch);
    return Object.keys(change).length > 0 && (await cache.fetchQuery(apiKeyImpactQuery(tenantId, apiKey.id, change))).refused > 0;
  }

  function onChange(change: Partial<Draft>) {
    setDraft((typed) => ({ ...typed, ...change }));
    forgive(change);
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (isPending) return;
    const missing = problemsOf(draft);
    tell(missing);
    if (Object.keys(missing).length > 0) return;
    const patch = patchOf(apiKey, draft, serverNow());
    if (Object.keys(patch).length === 0) onClose();
    else mutate(patch);
  }

  if (reviewed) {
    return (
      <Dialog
        key="review"
        onClose={onClose}
        title={`Save ${apiKey.name} all the same?`}
        description="Callers that still need what you take away are refused from now on."
      >
        <DialogBody>
          <Review tenantId={tenantId} keyId={apiKey.id} change={changeOf(reviewed)} />
        </DialogBody>
        <DialogActions>
          <Button onClick={() => setReviewed(null)} disabled={isPending}>
            Back
          </Button>
          <Button variant="danger" disabled={isPending} onClick={() => mutate(reviewed)}>
            {isPending ? "Saving…" : "Save anyway"}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog key="form" onClose={onClose} title={`Edit ${apiKey.name}`}>
      <form ref={form} onSubmit={onSubmit} noValidate className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          {error && Object.keys(problemsFrom(error)).length === 0 && <Note tone="danger">{error.message}</Note>}
          <fieldset disabled={isPending} className="flex min-w-0 flex-col gap-6">
            <legend className="sr-only">The key</legend>
            <KeyFields draft={draft} onChange={onChange} problems={problems} address={address} keeps={apiKey.expires_at} />
          </fieldset>
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={isPending}>
            {isPending ? "Saving…" : "Save"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Review({ tenantId, keyId, change }: { tenantId: string; keyId: string; change: ApiKeyChange }) {
  const { data, error } = useQuery(apiKeyImpactQuery(tenantId, keyId, change));
  return <Impact impact={data} error={error} />;
}

/** The part of a patch that can refuse calls. */
function changeOf({ scopes, expires_at, ip_allowlist }: KeyPatch): ApiKeyChange {
  return {
    ...(scopes && { scopes }),
    ...(expires_at !== undefined && { expires_at }),
    ...(ip_allowlist && { ip_allowlist }),
  };
}
