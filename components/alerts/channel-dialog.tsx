"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { ChoiceCards } from "#components/ui/choice-cards.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type AlertChannel,
  CHANNEL_KINDS,
  createAlertChannelContract,
  updateAlertChannelContract,
} from "#lib/alerts/contract.ts";
import { CHANNEL_LABELS, type ChannelKind } from "./labels.ts";
import { channelsKey } from "./queries.ts";

const USUAL: ChannelKind[] = ["exception_breached", "webhook_failing"];
const CHOICES = CHANNEL_KINDS.map((value) => ({ value, ...CHANNEL_LABELS[value] }));

/**
 * Adds a channel, or changes one: its URL is never shown again, so leaving the field empty keeps
 * it.
 */
export function ChannelDialog({
  channel,
  onClose,
}: {
  channel?: AlertChannel;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const form = useForm({
    initial: { name: channel?.name ?? "", url: "", kinds: channel?.kinds ?? USUAL },
    check: ({ name, url, kinds }) => ({
      ...(name.trim() === "" && { name: "Enter a name." }),
      ...(!channel && url.trim() === "" && { url: "Enter the URL of the incoming webhook." }),
      ...(kinds.length === 0 && { kinds: "Choose at least one kind of alert." }),
    }),
    send: ({ name, url, kinds }, idempotencyKey) => {
      const body = { name: name.trim(), kinds };
      const entered = url.trim();
      return channel
        ? callApi(updateAlertChannelContract, {
            tenant,
            params: { id: channel.id },
            body: { ...body, ...(entered && { url: entered }) },
          })
        : callApi(createAlertChannelContract, {
            tenant,
            body: { ...body, url: entered },
            idempotencyKey,
          });
    },
    onDone: ({ name }) => {
      cache.invalidateQueries({ queryKey: channelsKey(tenant) });
      toast(channel ? `Saved ${name}` : `Added ${name}`, {
        description: "Send a test message to try it.",
      });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={channel ? `Edit ${channel.name}` : "Add an alert channel"}
      start={channel ? "Save" : "Add channel"}
      pending={channel ? "Saving…" : "Adding…"}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="#recon-alerts"
        maxLength={120}
        required
        {...form.text("name")}
      />
      <TextField
        label="Incoming webhook URL"
        type="url"
        autoComplete="off"
        placeholder={channel?.url_hint ?? "https://hooks.slack.com/services/…"}
        hint={
          channel
            ? "Leave this empty to keep the current URL. It is a secret and isn't shown again."
            : "Anyone with this URL can post to the channel. " +
              "It is stored encrypted and isn't shown again."
        }
        required={!channel}
        {...form.text("url")}
      />
      <ChoiceCards
        legend="Alerts to send"
        choices={CHOICES}
        chosen={form.draft.kinds}
        error={form.problem("kinds")}
        onChange={(kinds) => form.change({ kinds })}
      />
    </FormDialog>
  );
}
