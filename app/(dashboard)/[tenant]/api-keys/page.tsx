import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { ApiKeyList } from "#components/api-keys/api-key-list.tsx";
import { apiKeyPages } from "#components/api-keys/queries.ts";
import { apiKeySearch } from "#components/api-keys/search.ts";
import { RolePage } from "#components/kit/role-page.tsx";
import { listApiKeysContract } from "#lib/api-keys/contract.ts";
import { listApiKeys } from "#lib/api-keys/list-api-keys.ts";
import { visitorAddress } from "#lib/auth/page-context.ts";

export const metadata: Metadata = { title: "API keys" };

const loadSearch = createLoader(apiKeySearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function ApiKeysPage({ params, searchParams }: Props) {
  const { tenant } = await params;
  const keys = apiKeyPages(tenant, await loadSearch(searchParams));
  return (
    <Prefetched reads={[prefetch(keys, ({ ctx, query }) => listApiKeys(ctx, query))]}>
      <RolePage
        access={listApiKeysContract.access}
        title="API keys"
        refusal={{
          title: "Admins manage API keys",
          reason:
            "An API key acts for the whole tenant, so " +
            "only admins create, rotate and revoke them.",
          remedy: "Ask a tenant admin for a key or for the admin role.",
        }}
      >
        <ApiKeyList address={await visitorAddress()} />
      </RolePage>
    </Prefetched>
  );
}
