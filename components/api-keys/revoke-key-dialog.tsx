"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { type ApiKey, type ApiKeyImpact, revokeApiKeyContract } from "#lib/api-keys/contract.ts";
import { API_KEYS } from "#lib/wire/facts.gen.ts";
import { apiKeysKey } from "./cache-key.ts";
import { Impact } from "./impact.tsx";
import { apiKeyById, apiKeyImpact } from "./queries.ts";
import { isInUse, missingToRevoke } from "./revocation.ts";

export function RevokeKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const cache = useQueryClient();
  const tenantId = useTenantId();
  const impact = useQuery(apiKeyImpact(tenantId, apiKey.id, { revoke: true }));
  const inUse = isInUse(apiKey, impact.data);
  const form = useForm({
    initial: { confirmation: "", reason: "", disable_webhooks: false },
    check: (draft) => missingToRevoke(draft, { name: apiKey.name, inUse }),
    send: ({ reason, disable_webhooks }) =>
      callApi(revokeApiKeyContract, {
        tenant: tenantId,
        params: { id: tenantId, keyId: apiKey.id },
        body: { reason: reason.trim(), disable_webhooks },
      }),
    onDone: (revoked) => {
      cache.setQueryData(apiKeyById(tenantId, apiKey.id).queryKey, revoked);
      cache.invalidateQueries({ queryKey: apiKeysKey(tenantId) });
      toast(`Revoked ${apiKey.name}`, { description: "It no longer works." });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Revoke ${apiKey.name}`}
      description="The key stops working immediately. This can't be undone."
      start="Revoke key"
      pending="Revoking…"
      danger
      onClose={onClose}
    >
      <Impact impact={impact.data} error={impact.error} ends />
      <Registered
        webhooks={impact.data?.webhooks ?? []}
        checked={form.draft.disable_webhooks}
        onChange={(disable_webhooks) => form.change({ disable_webhooks })}
      />
      {inUse && (
        <TextField
          label={`Type ${apiKey.name} to confirm`}
          autoComplete="off"
          spellCheck={false}
          {...form.text("confirmation")}
          required
        />
      )}
      <TextArea
        label="Reason"
        maxLength={API_KEYS.revoke_reason.max}
        {...form.text("reason")}
        required
      />
    </FormDialog>
  );
}

type Choice = Pick<ApiKeyImpact, "webhooks"> & {
  checked: boolean;
  onChange: (checked: boolean) => void;
};

/** The webhooks the key registered, which stay active unless they are disabled with it. */
function Registered({ webhooks, checked, onChange }: Choice) {
  if (webhooks.length === 0) return null;
  return (
    <div className="flex flex-col gap-1 text-sm">
      <CheckField
        label={`Also disable ${webhooks.length === 1 ? "the webhook" : `the ${webhooks.length} webhooks`} it registered`}
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
      <ul aria-label="Webhooks it registered" className="pl-7 text-muted">
        {webhooks.map(({ id, url }) => (
          <li key={id} className="break-all">
            {url}
          </li>
        ))}
      </ul>
    </div>
  );
}
