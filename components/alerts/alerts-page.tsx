"use client";

import { BellRing, Plus } from "lucide-react";
import Link from "next/link";
import { parseAsBoolean } from "nuqs";
import { useState } from "react";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { AlertChannel } from "#lib/alerts/contract.ts";
import { ChannelDialog } from "./channel-dialog.tsx";
import { ChannelRow } from "./channel-row.tsx";
import { ChannelSkeleton } from "./channel-skeleton.tsx";
import { DeleteChannelDialog } from "./delete-channel-dialog.tsx";
import { channelPages } from "./queries.ts";

const alertSearch = { new: parseAsBoolean.withDefault(false) };

type OpenDialog = { kind: "edit" | "delete"; channel: AlertChannel };

/** The tenant's alert channels. Mail to a single user is set on their profile. */
export function AlertsPage() {
  const tenant = useTenantId();
  const { search, set } = useSearch(alertSearch, []);
  const list = useList(channelPages(tenant));
  const [dialog, setDialog] = useState<OpenDialog>();
  const add = () => set({ new: true });
  return (
    <Page
      title="Alerts"
      actions={
        !list.isBare && (
          <Button variant="primary" onClick={add}>
            <Plus aria-hidden className="size-4" />
            Add channel
          </Button>
        )
      }
    >
      <p className="max-w-2xl pb-4 text-sm text-muted">
        Alerts for the whole team, in Slack or anything that accepts Slack's incoming webhooks. At
        most one message a minute for each kind. Choose your own emails in{" "}
        <Link href={`/${tenant}/profile`} className="text-accent-text underline">
          your profile
        </Link>
        .
      </p>
      <ListBody
        list={list}
        skeleton={<ChannelSkeleton />}
        bare={
          <Notice
            icon={BellRing}
            title="No alert channels yet"
            action={
              <Button variant="primary" onClick={add}>
                Add channel
              </Button>
            }
          >
            Create an incoming webhook in Slack, Mattermost or Rocket.Chat, and paste its URL here.
          </Notice>
        }
      >
        {() => (
          <ul aria-label="Alert channels" className="border-t border-line">
            {list.items.map((channel) => (
              <ChannelRow
                key={channel.id}
                channel={channel}
                onAction={(kind) => setDialog({ kind, channel })}
              />
            ))}
          </ul>
        )}
      </ListBody>
      {search.new && <ChannelDialog onClose={() => set({ new: null })} />}
      {dialog?.kind === "edit" && (
        <ChannelDialog channel={dialog.channel} onClose={() => setDialog(undefined)} />
      )}
      {dialog?.kind === "delete" && (
        <DeleteChannelDialog channel={dialog.channel} onClose={() => setDialog(undefined)} />
      )}
    </Page>
  );
}
