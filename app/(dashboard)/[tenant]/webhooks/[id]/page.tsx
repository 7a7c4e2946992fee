import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader, type SearchParams } from "nuqs/server";
import { roleNames } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { deliveryListQuery, deliveryPagesQuery, webhookQuery } from "#components/webhooks/queries.ts";
import { deliverySearch } from "#components/webhooks/search.ts";
import { WebhookPage } from "#components/webhooks/webhook-page.tsx";
import { WebhooksForAdmins } from "#components/webhooks/webhooks-states.tsx";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { getWebhookContract } from "#lib/webhooks/contract.ts";
import { listWebhookDeliveriesContract } from "#lib/webhooks/deliveries/contract.ts";
import { listWebhookDeliveries } from "#lib/webhooks/deliveries/list-webhook-deliveries.ts";
import { getWebhook } from "#lib/webhooks/get-webhook.ts";
import { allows } from "#lib/wire/access.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { pageTenant } from "../../page-tenant.ts";

export const metadata: Metadata = { title: "Webhook" };

const loadSearch = createLoader(deliverySearch);

type Props = { params: Promise<{ tenant: string; id: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant: tenantId, id } = await params;
  const member = await requireMember(tenantId);
  const tenant = await pageTenant(tenantId);
  if (!allows(getWebhookContract.access, member)) {
    return (
      <>
        <PageHeader tenantName={tenant.name} title="Webhook" />
        <WebhooksForAdmins tenantId={tenantId} roles={roleNames(member.roles)} />
      </>
    );
  }
  if (!getWebhookContract.params.safeParse({ id }).success) notFound();
  const search = await loadSearch(searchParams);
  const cache = new QueryClient();
  const [webhook] = await Promise.allSettled([
    askAsMember(tenantId, getWebhookContract, (ctx) => getWebhook(ctx, id)),
    // What fails here is not handed on: the browser asks again and shows what /v1 answers.
    cache.prefetchInfiniteQuery({
      ...deliveryPagesQuery(tenantId, id, search),
      queryFn: async () => {
        const query = listWebhookDeliveriesContract.query.parse(deliveryListQuery(search));
        return (await askAsMember(tenantId, listWebhookDeliveriesContract, (ctx) => listWebhookDeliveries(ctx, id, query))).data;
      },
    }),
  ]);
  if (webhook.status === "fulfilled") cache.setQueryData(webhookQuery(tenantId, id).queryKey, webhook.value.data);
  else if (!(webhook.reason instanceof ApiError)) throw webhook.reason;
  else if (webhook.reason.code === "not_found") notFound();
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <WebhookPage tenant={tenant} id={id} />
    </HydrationBoundary>
  );
}
