import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { AlertsPage } from "#components/alerts/alerts-page.tsx";
import { channelPages } from "#components/alerts/queries.ts";
import { RolePage } from "#components/kit/role-page.tsx";
import { listAlertChannelsContract } from "#lib/alerts/contract.ts";
import { listAlertChannels } from "#lib/alerts/list-alert-channels.ts";

export const metadata: Metadata = { title: "Alerts" };

type Props = { params: Promise<{ tenant: string }> };

export default async function Alerts({ params }: Props) {
  const { tenant } = await params;
  return (
    <Prefetched
      reads={[prefetch(channelPages(tenant), ({ ctx, query }) => listAlertChannels(ctx, query))]}
    >
      <RolePage
        access={listAlertChannelsContract.access}
        title="Alerts"
        refusal={{
          title: "Admins manage alert channels",
          reason:
            "A channel posts this tenant's exceptions elsewhere, so only admins add one. " +
            "Choose the emails that you get yourself in your profile.",
          remedy: "Ask a tenant admin to add a channel.",
        }}
      >
        <AlertsPage />
      </RolePage>
    </Prefetched>
  );
}
