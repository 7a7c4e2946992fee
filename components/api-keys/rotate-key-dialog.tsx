"use client";

import { useQuery } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import {
  type ApiKey,
  GRACE_SECONDS_DEFAULT,
  rotateApiKeyContract,
} from "#lib/api-keys/contract.ts";
import { Impact } from "./impact.tsx";
import { closeIssueDialog, showSecret } from "./issued-secret.ts";
import { apiKeyImpact } from "./queries.ts";

const GRACE_PERIODS = [
  { value: "0", label: "Now" },
  { value: "900", label: "15 min" },
  { value: "3600", label: "1 h" },
  { value: "86400", label: "24 h" },
  { value: "604800", label: "7 days" },
];

export function RotateKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const tenantId = useTenantId();
  const form = useForm({
    initial: { grace_period_seconds: String(GRACE_SECONDS_DEFAULT) },
    send: (draft, idempotencyKey) =>
      callApi(rotateApiKeyContract, {
        tenant: tenantId,
        params: { id: tenantId, keyId: apiKey.id },
        body: { grace_period_seconds: Number(draft.grace_period_seconds) },
        idempotencyKey,
      }),
    onDone: (key) => showSecret({ key, rotated: true }, onClose),
  });
  const grace = form.draft.grace_period_seconds;
  return (
    <FormDialog
      form={form}
      title={`Rotate ${apiKey.name}`}
      description="Creates a new key with the same name, scopes and allowed addresses. Its secret is shown once."
      start="Rotate key"
      pending="Rotating…"
      onClose={() => closeIssueDialog(form, onClose)}
    >
      <RadioGroup
        legend="Old key expires"
        value={grace}
        options={GRACE_PERIODS}
        onChange={(grace_period_seconds) => form.change({ grace_period_seconds })}
      />
      {grace === "0" ? (
        <EndsNow keyId={apiKey.id} />
      ) : (
        <p className="text-sm text-muted">
          Both keys work until <Time iso={endOf(apiKey, Number(grace))} />. Update your servers
          before then.
        </p>
      )}
    </FormDialog>
  );
}

function EndsNow({ keyId }: { keyId: string }) {
  const { data, error } = useQuery(apiKeyImpact(useTenantId(), keyId, { revoke: true }));
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-muted">The old key stops working immediately.</p>
      <Impact impact={data} error={error} ends />
    </div>
  );
}

/** The end of the grace period, but never later than the key's own expiry. */
function endOf({ expires_at }: ApiKey, graceSeconds: number): string {
  const graceEnd = new Date(serverNow() + graceSeconds * 1000).toISOString();
  return expires_at !== null && expires_at < graceEnd ? expires_at : graceEnd;
}
