import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { webhookPages } from "#components/webhooks/queries.ts";
import { webhookSearch } from "#components/webhooks/search.ts";
import { WebhookList } from "#components/webhooks/webhook-list.tsx";
import { listWebhooks } from "#lib/webhooks/list-webhooks.ts";

export const metadata: Metadata = { title: "Webhooks" };

const loadSearch = createLoader(webhookSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant } = await params;
  const webhooks = webhookPages(tenant, await loadSearch(searchParams));
  return (
    <Prefetched reads={[prefetch(webhooks, ({ ctx, query }) => listWebhooks(ctx, query))]}>
      <WebhookList />
    </Prefetched>
  );
}
