"use client";

import { useRef, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import { useProblems } from "#components/ui/use-problems.ts";
import { rotateWebhookSecretContract, SECRET_GRACE_SECONDS_DEFAULT, type Webhook } from "#lib/webhooks/contract.ts";
import { AttemptForm } from "./attempt-form.tsx";
import { problemsFrom } from "./problems.ts";
import { missingInSecret, newSecretDraft, SecretField, secretOf } from "./secret-field.tsx";
import { useAttempt } from "./use-attempt.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";

const GRACE_PERIODS = [
  { value: "0", label: "Now" },
  { value: "3600", label: "1 h" },
  { value: "86400", label: "24 h" },
  { value: "604800", label: "7 days" },
];

type Props = { tenantId: string; webhook: Webhook; onClose: () => void };

/** Gives a webhook a new secret, while the old one signs too for as long as its receiver needs. */
export function RotateDialog({ tenantId, webhook, onClose }: Props) {
  const keep = useKeepWebhook(tenantId);
  const form = useRef<HTMLFormElement>(null);
  const [secret, setSecret] = useState(newSecretDraft);
  const [grace, setGrace] = useState(String(SECRET_GRACE_SECONDS_DEFAULT));
  const { problems, tell, forgive } = useProblems(form);
  const body = { secret: secretOf(secret), grace_period_seconds: Number(grace) };

  const attempt = useAttempt({
    send: (idempotencyKey) => callApi(rotateWebhookSecretContract, { tenant: tenantId, params: { id: webhook.id }, body, idempotencyKey }),
    onRefused: (error) => tell(problemsFrom(error)),
    onDone: (rotated) => {
      keep(rotated);
      toast({
        title: "The new secret signs",
        description: grace === "0" ? "The old one ended." : "The old one signs beside it until it ends.",
        failed: false,
      });
      onClose();
    },
  });

  function onStart() {
    const found = missingInSecret(secret);
    tell(found);
    if (Object.keys(found).length === 0) attempt.start();
  }

  return (
    <Dialog
      onClose={() => !attempt.isPending && onClose()}
      title="Rotate the secret"
      description="The new secret signs at once. Until the old one ends both sign, and a receiver may verify with either."
    >
      <AttemptForm
        form={form}
        legend="Rotation"
        attempt={attempt}
        start="Rotate secret"
        pending="Rotating…"
        onStart={onStart}
        onClose={onClose}
      >
        <SecretField
          draft={secret}
          problems={problems}
          onChange={(typed) => {
            setSecret(typed);
            forgive("secret", "stored");
          }}
        />
        <RadioGroup legend="The old secret ends" value={grace} options={GRACE_PERIODS} onChange={setGrace}>
          {grace === "0" ? (
            <Note tone="warning">
              A receiver that verifies with the old secret refuses everything from now on: give it the new one before you go on.
            </Note>
          ) : (
            <p className="text-sm text-muted">
              Both sign until <Time iso={new Date(serverNow() + Number(grace) * 1000).toISOString()} />.
              {webhook.previous_secret_expires_at && " The one that was being replaced ends when it was to end before."}
            </p>
          )}
        </RadioGroup>
      </AttemptForm>
    </Dialog>
  );
}
