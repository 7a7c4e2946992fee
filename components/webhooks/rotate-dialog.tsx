"use client";

import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { Note } from "#components/ui/note.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  rotateWebhookSecretContract,
  SECRET_GRACE_SECONDS_DEFAULT,
  type Webhook,
} from "#lib/webhooks/contract.ts";
import { formatUrl } from "./labels.ts";
import { missingInSecret, newSecretDraft, SecretField, secretOf } from "./secret-field.tsx";
import { useSaveWebhook } from "./use-save-webhook.ts";

const GRACE_PERIODS = [
  { value: "0", label: "Now" },
  { value: "3600", label: "1 h" },
  { value: "86400", label: "24 h" },
  { value: "604800", label: "7 days" },
];

/** Rotates a webhook's signing secret; the old one also signs during the grace period. */
export function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const tenantId = useTenantId();
  const save = useSaveWebhook();
  const form = useForm({
    initial: () => ({
      secret: newSecretDraft(),
      grace_period_seconds: String(SECRET_GRACE_SECONDS_DEFAULT),
    }),
    check: ({ secret }) => missingInSecret(secret),
    send: ({ secret, grace_period_seconds }, idempotencyKey) =>
      callApi(rotateWebhookSecretContract, {
        tenant: tenantId,
        params: { id: webhook.id },
        body: { secret: secretOf(secret), grace_period_seconds: Number(grace_period_seconds) },
        idempotencyKey,
      }),
    onDone: (rotated, { grace_period_seconds }) => {
      save(rotated);
      const description =
        grace_period_seconds === "0"
          ? "The old one no longer signs."
          : "The old one also signs until it expires.";
      toast(`Rotated the secret of ${formatUrl(rotated.url)}`, { description });
      onClose();
    },
  });
  const grace = form.draft.grace_period_seconds;
  return (
    <FormDialog
      form={form}
      title="Rotate signing secret"
      description="The new secret signs immediately. Until the old one expires, both sign and your receiver can verify with either."
      start="Rotate secret"
      pending="Rotating…"
      onClose={onClose}
    >
      <SecretField form={form} />
      <RadioGroup
        legend="Old secret expires"
        value={grace}
        options={GRACE_PERIODS}
        onChange={(grace_period_seconds) => form.change({ grace_period_seconds })}
      >
        {grace === "0" ? (
          <Note tone="warning">
            A receiver still using the old secret will refuse every delivery. Update it before you
            continue.
          </Note>
        ) : (
          <p className="text-sm text-muted">
            Both secrets sign until{" "}
            <Time iso={new Date(serverNow() + Number(grace) * 1000).toISOString()} />.
            {webhook.previous_secret_expires_at &&
              " A secret already being replaced still expires when planned."}
          </p>
        )}
      </RadioGroup>
    </FormDialog>
  );
}
