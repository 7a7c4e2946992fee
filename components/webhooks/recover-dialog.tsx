"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import { recoverWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { AttemptForm } from "./attempt-form.tsx";
import { missedQuery } from "./queries.ts";
import { useAttempt } from "./use-attempt.ts";
import { useKeepWebhook } from "./use-keep-webhook.ts";
import { deliveryCount } from "./words.ts";

const HOUR_MS = 60 * 60 * 1000;
const KEPT_MS = 30 * 24 * HOUR_MS;

const SPANS = [
  { value: "1", label: "1 h" },
  { value: "24", label: "24 h" },
  { value: "168", label: "7 days" },
  { value: "custom", label: "A time" },
];

type Props = { tenantId: string; webhook: Webhook; onClose: () => void };

/** Sends again everything missed since a time, once one has seen how much that is. */
export function RecoverDialog({ tenantId, webhook, onClose }: Props) {
  const keep = useKeepWebhook(tenantId);
  const [openedMs] = useState(serverNow);
  const [oldest] = useState(webhook.missed_since);
  const [span, setSpan] = useState(oldest ? "all" : "24");
  const [typed, setTyped] = useState(() => minuteOf(openedMs - 24 * HOUR_MS));
  const since = span === "all" ? oldest : span === "custom" ? momentOf(typed) : new Date(openedMs - Number(span) * HOUR_MS).toISOString();
  const missed = useQuery({ ...missedQuery(tenantId, webhook.id, since ?? ""), enabled: since !== null });
  const count = missed.data?.count ?? 0;

  const attempt = useAttempt({
    send: (idempotencyKey) =>
      callApi(recoverWebhookContract, {
        tenant: tenantId,
        params: { id: webhook.id },
        body: { since: since ?? "" },
        idempotencyKey,
      }),
    onDone: (recovered) => {
      keep(webhook);
      toast({
        title: `${deliveryCount(recovered.count)} sent again`,
        description: "They arrive under their own webhook-id.",
        failed: false,
      });
      onClose();
    },
  });

  return (
    <Dialog
      onClose={() => !attempt.isPending && onClose()}
      title="Recover what was missed"
      description="Sends again what failed, and at once what waits for a retry. What arrived is not sent twice."
    >
      <AttemptForm
        legend="Recovery"
        attempt={attempt}
        start={missed.data && count === 0 ? "Nothing to send" : `Send ${missed.data ? deliveryCount(count) : "again"}`}
        pending="Sending…"
        onStart={() => count > 0 && attempt.start()}
        onClose={onClose}
      >
        <RadioGroup
          legend="Missed since"
          value={span}
          options={oldest ? [{ value: "all", label: "The oldest" }, ...SPANS] : SPANS}
          onChange={setSpan}
        >
          {span === "custom" && (
            <TextField
              label="Time (UTC)"
              type="datetime-local"
              value={typed}
              min={minuteOf(openedMs - KEPT_MS)}
              max={minuteOf(openedMs)}
              error={since === null ? "Give a day and a time." : undefined}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </RadioGroup>
        <p role="status" className="text-base">
          {missed.error ? (
            <span className="text-danger-text">It could not be counted: {missed.error.message}</span>
          ) : !missed.data || !since ? (
            <span className="text-muted">Counting…</span>
          ) : (
            <>
              <strong className="tabular-nums">{deliveryCount(count)}</strong> missed since <Time iso={since} />.
            </>
          )}
        </p>
      </AttemptForm>
    </Dialog>
  );
}

/** A moment as a field for local times has it, in UTC. */
function minuteOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

function momentOf(minute: string): string | null {
  const ms = Date.parse(`${minute}Z`);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
