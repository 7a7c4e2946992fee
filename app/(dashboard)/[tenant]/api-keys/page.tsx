import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { ApiKeys } from "#components/api-keys/api-keys.tsx";
import { KeysForAdmins } from "#components/api-keys/keys-empty.tsx";
import { apiKeyListQuery, apiKeyPagesQuery } from "#components/api-keys/queries.ts";
import { apiKeySearch } from "#components/api-keys/search.ts";
import { roleNames } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { listApiKeysContract } from "#lib/api-keys/contract.ts";
import { listApiKeys } from "#lib/api-keys/list-api-keys.ts";
import { askAsMember, requireMember, visitorAddress } from "#lib/auth/page-context.ts";
import { allows } from "#lib/wire/access.ts";
import { pageTenant } from "../page-tenant.ts";

export const metadata: Metadata = { title: "API keys" };

const loadSearch = createLoader(apiKeySearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function ApiKeysPage({ params, searchParams }: Props) {
  const { tenant: tenantId } = await params;
  const member = await requireMember(tenantId);
  const tenant = await pageTenant(tenantId);
  if (!allows(listApiKeysContract.access, member)) {
    return (
      <>
        <PageHeader tenantName={tenant.name} title="API keys" />
        <KeysForAdmins tenantId={tenantId} roles={roleNames(member.roles)} />
      </>
    );
  }
  const search = await loadSearch(searchParams);
  const cache = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await cache.prefetchInfiniteQuery({
    ...apiKeyPagesQuery(tenantId, search),
    queryFn: async () => {
      const query = listApiKeysContract.query.parse(apiKeyListQuery(search));
      return (await askAsMember(tenantId, listApiKeysContract, (ctx) => listApiKeys(ctx, query))).data;
    },
  });
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <ApiKeys tenant={tenant} address={await visitorAddress()} />
    </HydrationBoundary>
  );
}
