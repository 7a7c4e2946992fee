"use client";

import { useRef, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { toast } from "#components/ui/toast.ts";
import { useProblems } from "#components/ui/use-problems.ts";
import { createWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { AttemptForm } from "./attempt-form.tsx";
import { problemsFrom } from "./problems.ts";
import { missingInSecret, newSecretDraft, SecretField, secretOf } from "./secret-field.tsx";
import { useAttempt } from "./use-attempt.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";
import { fieldsOf, missingIn, type WebhookDraft, WebhookFields } from "./webhook-fields.tsx";

const NEW: WebhookDraft = { url: "", description: "", events: ["exception.sla.at_risk", "exception.sla.breached"] };

type Props = { tenantId: string; onClose: () => void; onRegistered: (webhook: Webhook) => void };

export function RegisterDialog({ tenantId, onClose, onRegistered }: Props) {
  const keep = useKeepWebhook(tenantId);
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(NEW);
  const [secret, setSecret] = useState(newSecretDraft);
  const { problems, tell, forgive } = useProblems(form);
  const body = { ...fieldsOf(draft), secret: secretOf(secret) };

  const attempt = useAttempt({
    send: (idempotencyKey) => callApi(createWebhookContract, { tenant: tenantId, body, idempotencyKey }),
    onRefused: (error) => tell(problemsFrom(error)),
    onDone: (webhook) => {
      keep(webhook);
      toast({ title: "The webhook is registered", description: "Send a test event to see it arrive.", failed: false });
      onRegistered(webhook);
    },
  });

  function onStart() {
    const found = { ...missingIn(draft), ...missingInSecret(secret) };
    tell(found);
    if (Object.keys(found).length === 0) attempt.start();
  }

  return (
    <Dialog
      onClose={() => !attempt.isPending && onClose()}
      title="Register a webhook"
      description="Tieout calls your server when something happens in this tenant."
    >
      <AttemptForm
        form={form}
        legend="The webhook"
        attempt={attempt}
        start="Register webhook"
        pending="Registering…"
        onStart={onStart}
        onClose={onClose}
      >
        <WebhookFields
          draft={draft}
          problems={problems}
          onChange={(change) => {
            setDraft((typed) => ({ ...typed, ...change }));
            forgive(...Object.keys(change));
          }}
        />
        <SecretField
          draft={secret}
          problems={problems}
          onChange={(typed) => {
            setSecret(typed);
            forgive("secret", "stored");
          }}
        />
      </AttemptForm>
    </Dialog>
  );
}
