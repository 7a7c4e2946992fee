"use client";

import { useRef, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { toast } from "#components/ui/toast.ts";
import { useProblems } from "#components/ui/use-problems.ts";
import { updateWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { AttemptForm } from "./attempt-form.tsx";
import { problemsFrom } from "./problems.ts";
import { useAttempt } from "./use-attempt.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";
import { fieldsOf, missingIn, type WebhookDraft, WebhookFields } from "./webhook-fields.tsx";

type Props = { tenantId: string; webhook: Webhook; onClose: () => void };

export function EditDialog({ tenantId, webhook, onClose }: Props) {
  const keep = useKeepWebhook(tenantId);
  const form = useRef<HTMLFormElement>(null);
  const [before] = useState(webhook);
  const [draft, setDraft] = useState<WebhookDraft>({ ...webhook, description: webhook.description ?? "" });
  const { problems, tell, forgive } = useProblems(form);
  const body = patchOf(before, draft);

  const attempt = useAttempt({
    send: () => callApi(updateWebhookContract, { tenant: tenantId, params: { id: webhook.id }, body }),
    onRefused: (error) => tell(problemsFrom(error)),
    onDone: (saved) => {
      keep(saved);
      toast({ title: "The webhook is saved", failed: false });
      onClose();
    },
  });

  function onStart() {
    if (Object.keys(body).length === 0) return onClose();
    const found = missingIn(draft);
    tell(found);
    if (Object.keys(found).length === 0) attempt.start();
  }

  return (
    <Dialog
      onClose={() => !attempt.isPending && onClose()}
      title="Edit the webhook"
      description="What is on its way already goes where it was going. Retries use the new URL."
    >
      <AttemptForm form={form} legend="The webhook" attempt={attempt} start="Save" pending="Saving…" onStart={onStart} onClose={onClose}>
        <WebhookFields
          draft={draft}
          problems={problems}
          onChange={(change) => {
            setDraft((typed) => ({ ...typed, ...change }));
            forgive(...Object.keys(change));
          }}
        />
      </AttemptForm>
    </Dialog>
  );
}

/** What a draft changes. */
function patchOf(before: Webhook, draft: WebhookDraft) {
  const { url, description, events } = fieldsOf(draft);
  return {
    ...(url !== before.url && { url }),
    ...(description !== before.description && { description }),
    ...(events.join() !== before.events.join() && { events }),
  };
}
