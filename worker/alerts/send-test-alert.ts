import type { Task } from "graphile-worker";
import { z } from "zod";
import { unsealUrl } from "#lib/alerts/channel-url.ts";
import type { Sender } from "#lib/webhooks/send.ts";
import { slackText } from "./messages.ts";
import { postToChannel } from "./post-to-channel.ts";

const payload = z.object({ tenant_id: z.string(), channel_id: z.string() });

type Channel = { url_id: string; sealed: string; name: string; tenant_name: string };

/** Sends one test message; the channel shows the result. */
export function sendTestAlert(sender: Sender): Task {
  return async (job, { query, abortSignal }) => {
    const { tenant_id, channel_id } = payload.parse(job);
    const { rows } = await query<{ channel: Channel | null }>(
      "select private.alert_channel_url($1, $2) as channel",
      [tenant_id, channel_id],
    );
    const channel = rows[0]?.channel;
    if (!channel) return;
    const text = `It works: alerts of ${slackText(channel.tenant_name)} come here.`;
    const failure = await postToChannel(
      sender,
      unsealUrl(channel.sealed, tenant_id, channel.url_id),
      text,
      abortSignal,
    );
    await query("select private.settle_test_alert($1, $2, $3)", [tenant_id, channel_id, failure]);
  };
}
