import type { Task } from "graphile-worker";
import { z } from "zod";
import { unsealUrl } from "#lib/alerts/channel-url.ts";
import { ALERT_KINDS } from "#lib/alerts/contract.ts";
import type { Sender } from "#lib/webhooks/send.ts";
import type { Mailer } from "../mail/mailer.ts";
import { headline, pageOf, slackText } from "./messages.ts";
import { postToChannel } from "./post-to-channel.ts";

const payload = z.object({ tenant_id: z.string(), bundle_id: z.string() });

const bundle = z
  .object({
    tenant_name: z.string(),
    kind: z.enum(ALERT_KINDS),
    count: z.number(),
    items: z.array(z.object({ id: z.string(), title: z.string(), detail: z.string() }).nullable()),
    email: z.string().optional(),
    url_id: z.string().optional(),
    sealed: z.string().optional(),
  })
  .nullable();
type Bundle = NonNullable<z.output<typeof bundle>>;

/**
 * Sends a bundle of alerts as one mail or one channel message. Contents and recipient are read now,
 * so that exceptions resolved in the meantime are left out. Throws on failure, so that the job is
 * retried.
 */
export function sendAlerts(mailer: Mailer, sender: Sender, origin: string): Task {
  return async (job, { query, abortSignal }) => {
    const { tenant_id, bundle_id } = payload.parse(job);
    const { rows } = await query<{ bundle: unknown }>(
      "select private.open_alert_bundle($1, $2) as bundle",
      [tenant_id, bundle_id],
    );
    const openedBundle = bundle.parse(rows[0]?.bundle ?? null);
    if (!openedBundle) return;
    const settle = (failure: string | null) =>
      query("select private.settle_alert_bundle($1, $2, $3)", [tenant_id, bundle_id, failure]);
    const alert = { tenant: tenant_id, origin, ...openedBundle };
    if (openedBundle.email !== undefined) {
      await mailer.send({ id: bundle_id, to: openedBundle.email, ...mailOf(alert) });
      return void (await settle(null));
    }
    const url = unsealUrl(openedBundle.sealed ?? "", tenant_id, openedBundle.url_id ?? "");
    const failure = await postToChannel(sender, url, messageOf(alert), abortSignal);
    await settle(failure);
    if (failure !== null) throw new Error(failure);
  };
}

type Alert = Bundle & { tenant: string; origin: string };

function linesOf({ items, origin, tenant, kind }: Alert) {
  return items.flatMap((item) =>
    item
      ? [{ text: item.title, detail: item.detail, url: pageOf(origin, tenant, kind, item.id) }]
      : [],
  );
}

function mailOf(alert: Alert) {
  const { kind, count, tenant_name, origin, tenant } = alert;
  const items = linesOf(alert);
  const more = count - items.length;
  return {
    subject: `${headline(kind, count)} in ${tenant_name}`,
    paragraphs: [
      `${headline(kind, count)} in ${tenant_name}.`,
      ...(more > 0 ? [`The first ${items.length}:`] : []),
    ],
    items,
    footer:
      "You get this because of your notification settings: " +
      `${new URL(`/${tenant}/profile`, origin).href}`,
  };
}

function messageOf(alert: Alert): string {
  const items = linesOf(alert);
  const more = alert.count - items.length;
  const lines = items.map(
    ({ text, detail, url }) => `• <${url}|${slackText(text)}>: ${slackText(detail)}`,
  );
  return [
    `*${slackText(headline(alert.kind, alert.count))}* in ${slackText(alert.tenant_name)}`,
    ...lines,
    ...(more > 0 ? [`and ${more.toLocaleString("en")} more`] : []),
  ].join("\n");
}
