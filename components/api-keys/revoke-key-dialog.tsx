"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { type ApiKey, type ApiKeyImpact, revokeApiKeyContract } from "#lib/api-keys/contract.ts";
import { API_KEYS } from "#lib/wire/facts.gen.ts";
import { apiKeysKey } from "./cache-key.ts";
import { Impact } from "./impact.tsx";
import { apiKeyImpactQuery, apiKeyQuery } from "./queries.ts";

export function RevokeKeyDialog({ tenantId, apiKey, onClose }: { tenantId: string; apiKey: ApiKey; onClose: () => void }) {
  const cache = useQueryClient();
  const [problems, setProblems] = useState<{ name?: string; reason?: string }>({});
  const impact = useQuery(apiKeyImpactQuery(tenantId, apiKey.id, { revoke: true }));

  const { mutate, isPending, error } = useMutation({
    networkMode: "always",
    mutationFn: (body: { reason: string; disable_webhooks: boolean }) =>
      callApi(revokeApiKeyContract, { tenant: tenantId, params: { id: tenantId, keyId: apiKey.id }, body }),
    onSuccess: (revoked) => {
      cache.setQueryData(apiKeyQuery(tenantId, apiKey.id).queryKey, revoked);
      cache.invalidateQueries({ queryKey: apiKeysKey(tenantId) });
      toast({ title: `${apiKey.name} is revoked`, description: "It is refused from the next call on.", failed: false });
      onClose();
    },
  });

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    const given = new FormData(event.currentTarget);
    const name = String(given.get("confirmation")).trim();
    const reason = String(given.get("reason")).trim();
    const wrong = {
      name: name === apiKey.name.trim() ? undefined : "This is not the name of the key.",
      reason: reason === "" ? "Say why: it is kept with the key." : undefined,
    };
    setProblems(wrong);
    if (wrong.name || wrong.reason) return focusOn(event.currentTarget, wrong.name ? "confirmation" : "reason");
    mutate({ reason, disable_webhooks: given.get("disable_webhooks") === "on" });
  }

  return (
    <Dialog
      onClose={onClose}
      title={`Revoke ${apiKey.name}`}
      description="It is refused from the next call on, everywhere. This cannot be undone."
    >
      <form onSubmit={onSubmit} noValidate className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          {error && <Note tone="danger">{error.message}</Note>}
          <Impact impact={impact.data} error={impact.error} />
          <Registered webhooks={impact.data?.webhooks ?? []} />
          <TextField
            label={`Type ${apiKey.name} to confirm`}
            name="confirmation"
            autoComplete="off"
            spellCheck={false}
            error={problems.name}
            onChange={() => setProblems((shown) => ({ ...shown, name: undefined }))}
            required
          />
          <TextArea
            label="Reason"
            name="reason"
            maxLength={API_KEYS.revoke_reason.most}
            error={problems.reason}
            onChange={() => setProblems((shown) => ({ ...shown, reason: undefined }))}
            required
          />
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" disabled={isPending}>
            {isPending ? "Revoking…" : "Revoke key"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** What goes on without the key, unless it is disabled with it. */
function Registered({ webhooks }: Pick<ApiKeyImpact, "webhooks">) {
  if (webhooks.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-sm">
      <CheckField
        name="disable_webhooks"
        label={`Also disable ${webhooks.length === 1 ? "the webhook" : `the ${webhooks.length} webhooks`} that it registered`}
      />
      <ul aria-label="Webhooks that it registered" className="pl-7 text-muted">
        {webhooks.map(({ id, url }) => (
          <li key={id} className="break-all">
            {url}
          </li>
        ))}
      </ul>
    </div>
  );
}

function focusOn(form: HTMLFormElement, name: string): void {
  (form.elements.namedItem(name) as HTMLElement | null)?.focus();
}
