"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import { type AlertChannel, deleteAlertChannelContract } from "#lib/alerts/contract.ts";
import { channelsKey } from "./queries.ts";

export function DeleteChannelDialog({
  channel,
  onClose,
}: {
  channel: AlertChannel;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const form = useForm({
    initial: {},
    send: () => callApi(deleteAlertChannelContract, { tenant, params: { id: channel.id } }),
    onDone: () => {
      cache.invalidateQueries({ queryKey: channelsKey(tenant) });
      toast(`Deleted ${channel.name}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Delete ${channel.name}`}
      start="Delete channel"
      pending="Deleting…"
      danger
      onClose={onClose}
    >
      <p className="text-sm">
        No more alerts are posted to {channel.url_hint}, and its URL is permanently deleted.
      </p>
    </FormDialog>
  );
}
