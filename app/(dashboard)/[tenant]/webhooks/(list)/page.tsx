import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { roleNames } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { webhookListQuery, webhookPagesQuery } from "#components/webhooks/queries.ts";
import { webhookSearch } from "#components/webhooks/search.ts";
import { WebhooksPage } from "#components/webhooks/webhooks-page.tsx";
import { WebhooksForAdmins } from "#components/webhooks/webhooks-states.tsx";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { listWebhooksContract } from "#lib/webhooks/contract.ts";
import { listWebhooks } from "#lib/webhooks/list-webhooks.ts";
import { allows } from "#lib/wire/access.ts";
import { pageTenant } from "../../page-tenant.ts";

export const metadata: Metadata = { title: "Webhooks" };

const loadSearch = createLoader(webhookSearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Page({ params, searchParams }: Props) {
  const { tenant: tenantId } = await params;
  const member = await requireMember(tenantId);
  const tenant = await pageTenant(tenantId);
  if (!allows(listWebhooksContract.access, member)) {
    return (
      <>
        <PageHeader tenantName={tenant.name} title="Webhooks" />
        <WebhooksForAdmins tenantId={tenantId} roles={roleNames(member.roles)} />
      </>
    );
  }
  const search = await loadSearch(searchParams);
  const cache = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await cache.prefetchInfiniteQuery({
    ...webhookPagesQuery(tenantId, search),
    queryFn: async () => {
      const query = listWebhooksContract.query.parse(webhookListQuery(search));
      return (await askAsMember(tenantId, listWebhooksContract, (ctx) => listWebhooks(ctx, query))).data;
    },
  });
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <WebhooksPage tenant={tenant} />
    </HydrationBoundary>
  );
}
