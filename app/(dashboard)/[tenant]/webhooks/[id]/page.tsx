import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { deliveryPages, webhookById } from "#components/webhooks/queries.ts";
import { deliverySearch } from "#components/webhooks/search.ts";
import { WebhookPage } from "#components/webhooks/webhook-page.tsx";
import { listWebhookDeliveries } from "#lib/webhooks/deliveries/list-webhook-deliveries.ts";
import { getWebhook } from "#lib/webhooks/get-webhook.ts";

export const metadata: Metadata = { title: "Webhook" };

const loadSearch = createLoader(deliverySearch);

type Props = {
  params: Promise<{ tenant: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function Page({ params, searchParams }: Props) {
  const { tenant, id } = await params;
  const search = await loadSearch(searchParams);
  const webhook = prefetch(
    webhookById(tenant, id),
    ({ ctx, params: known }) => getWebhook(ctx, known.id),
    { required: true },
  );
  const deliveries = prefetch(deliveryPages(tenant, id, search), ({ ctx, query }) =>
    listWebhookDeliveries(ctx, id, query),
  );
  return (
    <Prefetched reads={[webhook, deliveries]}>
      <WebhookPage id={id} />
    </Prefetched>
  );
}
