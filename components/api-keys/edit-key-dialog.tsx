"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { toast } from "#components/ui/toast.ts";
import { type ApiKey, updateApiKeyContract } from "#lib/api-keys/contract.ts";
import { apiKeysKey } from "./cache-key.ts";
import {
  type ApiKeyChange,
  type Draft,
  draftOf,
  type KeyPatch,
  missingIn,
  patchOf,
} from "./draft.ts";
import { Impact } from "./impact.tsx";
import { KeyFields } from "./key-fields.tsx";
import { apiKeyById, apiKeyImpact } from "./queries.ts";

type Props = { apiKey: ApiKey; address: string | null; onClose: () => void };

/** Edits a key. If calls would be refused, shows which before saving. */
export function EditKeyDialog({ apiKey, address, onClose }: Props) {
  const cache = useQueryClient();
  const tenantId = useTenantId();
  // The key when the draft began, so that concurrent changes by others are kept.
  const [before] = useState(apiKey);
  // The draft under review and its changes.
  const [review, setReview] = useState<{ draft: Draft; patch: KeyPatch } | null>(null);
  const form = useForm({
    initial: () => draftOf(before),
    check: missingIn,
    send: async (draft) => {
      const patch = draft === review?.draft ? review.patch : patchOf(before, draft, serverNow());
      if (draft !== review?.draft && (await wouldRefuse(patch))) return setReview({ draft, patch });
      const params = { id: tenantId, keyId: apiKey.id };
      return callApi(updateApiKeyContract, { tenant: tenantId, params, body: patch }).catch(
        (error) => {
          setReview(null);
          throw error;
        },
      );
    },
    onDone: (saved) => {
      if (!saved) return;
      cache.setQueryData(apiKeyById(tenantId, apiKey.id).queryKey, saved);
      cache.invalidateQueries({ queryKey: apiKeysKey(tenantId) });
      toast(`Saved ${saved.name}`);
      onClose();
    },
  });

  async function wouldRefuse(patch: KeyPatch): Promise<boolean> {
    const change = changeOf(patch);
    return (
      Object.keys(change).length > 0 &&
      (await cache.fetchQuery(apiKeyImpact(tenantId, apiKey.id, change))).refused > 0
    );
  }

  if (review) {
    return (
      <Dialog
        key="review"
        keepsOpen={form.isPending}
        onClose={() => !form.isPending && onClose()}
        title={`Save ${apiKey.name} anyway?`}
        description="Callers that rely on what you're removing will be refused immediately."
      >
        <DialogBody>
          <Review keyId={apiKey.id} change={changeOf(review.patch)} />
        </DialogBody>
        <DialogActions>
          <Button onClick={() => setReview(null)} disabled={form.isPending}>
            Back
          </Button>
          <Button variant="danger" disabled={form.isPending} onClick={form.retry}>
            {form.isPending ? "Saving…" : "Save anyway"}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <FormDialog
      key="form"
      form={form}
      title={`Edit ${apiKey.name}`}
      start="Save"
      pending="Saving…"
      onSubmit={() =>
        Object.keys(patchOf(before, form.draft, serverNow())).length === 0
          ? onClose()
          : form.submit()
      }
      onClose={onClose}
    >
      <KeyFields form={form} address={address} keeps={before.expires_at} />
    </FormDialog>
  );
}

function Review({ keyId, change }: { keyId: string; change: ApiKeyChange }) {
  const { data, error } = useQuery(apiKeyImpact(useTenantId(), keyId, change));
  return <Impact impact={data} error={error} />;
}

/** The part of a patch that can cause calls to be refused. */
function changeOf({ scopes, expires_at, ip_allowlist }: KeyPatch): ApiKeyChange {
  return {
    ...(scopes && { scopes }),
    ...(expires_at !== undefined && { expires_at }),
    ...(ip_allowlist && { ip_allowlist }),
  };
}
