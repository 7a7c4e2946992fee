"use client";

import {
  Ban,
  ChevronDown,
  EllipsisVertical,
  History,
  KeyRound,
  Pencil,
  Send,
  Trash2,
} from "lucide-react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import { Menu, MenuItem, MenuSeparator } from "#components/ui/menu.tsx";
import { testWebhookContract, type Webhook } from "#lib/webhooks/contract.ts";
import { EVENT_KINDS, type EventKind } from "#lib/wire/event-kinds.ts";
import { webhooksKey } from "./queries.ts";

/** Which dialog is open. */
export type WebhookAction =
  | "edit"
  | "rotate"
  | "recover"
  | "enable"
  | "disable"
  | "delete"
  | "verify";

type Props = {
  webhook: Webhook;
  onAction: (act: WebhookAction) => void;
  onTested: (deliveryId: string) => void;
};

export function WebhookActions({ webhook, onAction, onTested }: Props) {
  const isActive = webhook.status === "active";
  // With no deliveries yet, the empty list offers the test.
  const isNew = webhook.last_success_at === null && webhook.last_failure_at === null;
  return (
    <div className="flex flex-wrap gap-2">
      {isActive && !isNew && <TestButton webhookId={webhook.id} onTested={onTested} />}
      <Button onClick={() => onAction("edit")}>
        <Pencil aria-hidden className="size-4 text-muted" />
        Edit
      </Button>
      <Menu
        label="More"
        align="end"
        triggerClass={buttonClass()}
        trigger={
          <>
            <span className="sr-only">More actions</span>
            <EllipsisVertical aria-hidden className="size-4 text-muted" />
          </>
        }
      >
        <MenuItem onClick={() => onAction("rotate")}>
          <KeyRound aria-hidden className="size-4 text-muted" />
          Rotate signing secret
        </MenuItem>
        {isActive && (
          <MenuItem onClick={() => onAction("recover")}>
            <History aria-hidden className="size-4 text-muted" />
            Recover missed deliveries
          </MenuItem>
        )}
        <MenuSeparator />
        {isActive && (
          <MenuItem onClick={() => onAction("disable")}>
            <Ban aria-hidden className="size-4 text-muted" />
            Disable
          </MenuItem>
        )}
        <MenuItem onClick={() => onAction("delete")}>
          <Trash2 aria-hidden className="size-4 text-danger-text" />
          <span className="text-danger-text">Delete</span>
        </MenuItem>
      </Menu>
    </div>
  );
}

/** Sends a test event, webhook.test or any other with example data, and opens its delivery. */
export function TestButton({
  webhookId,
  onTested,
}: {
  webhookId: string;
  onTested: (deliveryId: string) => void;
}) {
  const tenantId = useTenantId();
  const test = useMutate({
    send: (type: EventKind, idempotencyKey) =>
      callApi(testWebhookContract, {
        tenant: tenantId,
        params: { id: webhookId },
        body: { type },
        idempotencyKey,
      }),
    onDone: ({ id }) => onTested(id),
    failed: "Couldn't send the test event",
    stale: webhooksKey(tenantId),
  });
  return (
    <span className="flex">
      <Button
        variant="primary"
        className="rounded-r-none"
        disabled={test.isPending}
        onClick={() => test.start("webhook.test")}
      >
        <Send aria-hidden className="size-4" />
        {test.isPending ? "Sending…" : "Send a test event"}
      </Button>
      <Menu
        label="Test with another event"
        align="end"
        triggerClass={classes(
          buttonClass({ variant: "primary" }),
          "rounded-l-none border-l border-on-accent/40 px-2",
        )}
        trigger={
          <>
            <span className="sr-only">Test with another event</span>
            <ChevronDown aria-hidden className="size-4" />
          </>
        }
      >
        {EVENT_KINDS.filter((kind) => kind !== "webhook.test").map((kind) => (
          <MenuItem key={kind} onClick={() => test.start(kind)}>
            <code className="font-mono text-xs">{kind}</code>
          </MenuItem>
        ))}
      </Menu>
    </span>
  );
}
