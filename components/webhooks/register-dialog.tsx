"use client";

import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import { createWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import { formatUrl } from "./labels.ts";
import { NO_OPTIONS } from "./options-draft.ts";
import {
  missingInSecret,
  newSecretDraft,
  type SecretDraft,
  SecretField,
  secretOf,
} from "./secret-field.tsx";
import { useSaveWebhook } from "./use-save-webhook.ts";
import { fieldsOf, missingIn, type WebhookDraft, WebhookFields } from "./webhook-fields.tsx";

type Props = { onClose: () => void; onRegistered: (webhook: Webhook) => void };

export function RegisterDialog({ onClose, onRegistered }: Props) {
  const tenantId = useTenantId();
  const save = useSaveWebhook();
  const form = useForm({
    initial: (): WebhookDraft & { secret: SecretDraft } => ({
      url: "",
      description: "",
      events: ["exception.sla.at_risk", "exception.sla.breached"],
      ...NO_OPTIONS,
      secret: newSecretDraft(),
    }),
    check: (draft) => ({ ...missingIn(draft), ...missingInSecret(draft.secret) }),
    send: (draft, idempotencyKey) =>
      callApi(createWebhookContract, {
        tenant: tenantId,
        body: { ...fieldsOf(draft), secret: secretOf(draft.secret) },
        idempotencyKey,
      }),
    onDone: (webhook) => {
      save(webhook);
      toast(`Registered ${formatUrl(webhook.url)}`, {
        description: "Send a test event to try it.",
      });
      onRegistered(webhook);
    },
  });
  return (
    <FormDialog
      form={form}
      title="Register a webhook"
      description={`${PRODUCT} sends this tenant's events to your server.`}
      start="Register webhook"
      pending="Registering…"
      onClose={onClose}
    >
      <WebhookFields form={form} />
      <SecretField form={form} />
    </FormDialog>
  );
}
