"use client";

import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import { type AlertChannel, testAlertChannelContract } from "#lib/alerts/contract.ts";
import { CHANNEL_LABELS } from "./labels.ts";
import { channelsKey } from "./queries.ts";

export function ChannelRow({
  channel,
  onAction,
}: {
  channel: AlertChannel;
  onAction: (action: "edit" | "delete") => void;
}) {
  const tenant = useTenantId();
  const { id, name, url_hint, kinds, last_sent_at, last_failure_at, last_failure } = channel;
  const test = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(testAlertChannelContract, { tenant, params: { id }, idempotencyKey }),
    onDone: () =>
      toast(`Sending a test message to ${name}`, {
        description: "The result appears here in a few seconds.",
      }),
    failed: "Couldn't send a test message",
    stale: channelsKey(tenant),
  });
  const sends = test.isPending ? "Sending…" : "Send test";
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line px-2 py-3 text-sm">
      <div className="min-w-56 flex-1">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="font-mono text-xs break-all text-muted">{url_hint}</p>
        <p className="pt-1">{kinds.map((kind) => CHANNEL_LABELS[kind].name).join(", ")}</p>
        <p className="text-muted">
          {last_sent_at ? (
            <>
              Last message <Time iso={last_sent_at} />
            </>
          ) : (
            "No message sent yet"
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          disabled={test.isPending}
          aria-label={`${sends} to ${name}`}
          onClick={() => test.start(undefined)}
        >
          {sends}
        </Button>
        <Button size="sm" aria-label={`Edit ${name}`} onClick={() => onAction("edit")}>
          Edit
        </Button>
        <Button size="sm" aria-label={`Delete ${name}`} onClick={() => onAction("delete")}>
          Delete
        </Button>
      </div>
      {last_failure && last_failure_at && (
        <div className="w-full">
          <Note tone="danger">
            The last message failed (<Time iso={last_failure_at} />
            ): {last_failure} Alerts are retried for over a day. Edit the channel if its URL
            changed.
          </Note>
        </div>
      )}
    </li>
  );
}
