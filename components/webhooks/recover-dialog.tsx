"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { zoneName } from "#components/preferences/time-zone.ts";
import { DateField } from "#components/ui/date-field.tsx";
import { fieldTime, momentOfField } from "#components/ui/field-time.ts";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import { recoverWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { deliveryCount } from "./labels.ts";
import { missedCount } from "./queries.ts";
import { useSaveWebhook } from "./use-save-webhook.ts";

const HOUR_MS = 60 * 60 * 1000;
const KEPT_MS = 30 * 24 * HOUR_MS;

const SPANS = [
  { value: "1", label: "1 h" },
  { value: "24", label: "24 h" },
  { value: "168", label: "7 days" },
  { value: "custom", label: "Custom" },
];

/** Resends everything missed since a time, after showing how much that is. */
export function RecoverDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const tenantId = useTenantId();
  const save = useSaveWebhook();
  const { timeZone } = usePreferences();
  const [openedMs] = useState(serverNow);
  const [oldest] = useState(webhook.missed_since);
  const sinceOf = ({ span, since }: { span: string; since: string }) =>
    span === "all"
      ? oldest
      : span === "custom"
        ? momentOf(since, timeZone)
        : new Date(openedMs - Number(span) * HOUR_MS).toISOString();
  const form = useForm({
    initial: { span: oldest ? "all" : "24", since: minuteOf(openedMs - 24 * HOUR_MS, timeZone) },
    send: (draft, idempotencyKey) =>
      callApi(recoverWebhookContract, {
        tenant: tenantId,
        params: { id: webhook.id },
        body: { since: sinceOf(draft) ?? "" },
        idempotencyKey,
      }),
    onDone: (recovered) => {
      save(webhook);
      toast(`Resending ${deliveryCount(recovered.count)}`, {
        description: "Each keeps its webhook-id.",
      });
      onClose();
    },
  });
  const since = sinceOf(form.draft);
  const missed = useQuery({
    ...missedCount(tenantId, webhook.id, since ?? ""),
    enabled: since !== null,
  });
  const count = missed.data?.count ?? 0;
  return (
    <FormDialog
      form={form}
      title="Recover missed deliveries"
      description="Resends failed deliveries and retries pending ones now. What was delivered isn't sent again."
      start={missed.data && count === 0 ? "Nothing to recover" : `Recover ${deliveryCount(count)}`}
      pending="Sending…"
      onSubmit={() => count > 0 && form.submit()}
      onClose={onClose}
    >
      <RadioGroup
        legend="Missed since"
        value={form.draft.span}
        options={oldest ? [{ value: "all", label: "The first missed delivery" }, ...SPANS] : SPANS}
        onChange={(span) => form.change({ span })}
      >
        {form.draft.span === "custom" && (
          <DateField
            label={`Time (${zoneName(timeZone)})`}
            time="00:00"
            value={form.draft.since}
            onChange={(since) => form.change({ since })}
            min={minuteOf(openedMs - KEPT_MS, timeZone)}
            error={since === null ? "Enter a date and time." : form.problem("since")}
          />
        )}
      </RadioGroup>
      <p role="status" className="text-base">
        {missed.error ? (
          <span className="text-danger-text">
            Couldn't count missed deliveries: {missed.error.message}
          </span>
        ) : !missed.data || !since ? (
          <span className="text-muted">Counting…</span>
        ) : (
          <>
            <strong className="tabular-nums">{deliveryCount(count)}</strong> missed since{" "}
            <Time iso={since} />.
          </>
        )}
      </p>
    </FormDialog>
  );
}

function minuteOf(ms: number, timeZone: string): string {
  return fieldTime(new Date(ms).toISOString(), timeZone);
}

function momentOf(minute: string, timeZone: string): string | null {
  return Number.isNaN(Date.parse(`${minute}Z`)) ? null : momentOfField(minute, timeZone);
}
