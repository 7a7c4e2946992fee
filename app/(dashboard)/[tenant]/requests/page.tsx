import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { RolePage } from "#components/kit/role-page.tsx";
import { requestPages, requestStatsOf } from "#components/requests/queries.ts";
import { RequestsPage, TITLE } from "#components/requests/requests-page.tsx";
import { requestQuery, requestSearch } from "#components/requests/search.ts";
import { AllDeliveries } from "#components/webhooks/all-deliveries.tsx";
import { allDeliveryPages, deliveryStatsOf, webhookStatsOf } from "#components/webhooks/queries.ts";
import { allDeliverySearch } from "#components/webhooks/search.ts";
import { listRequestsContract } from "#lib/request-log/contract.ts";
import { getRequestStats } from "#lib/request-log/get-request-stats.ts";
import { listRequests } from "#lib/request-log/list-requests.ts";
import { getDeliveryStats } from "#lib/webhooks/deliveries/get-delivery-stats.ts";
import { getWebhookStats } from "#lib/webhooks/deliveries/get-webhook-stats.ts";
import { listDeliveries } from "#lib/webhooks/deliveries/list-deliveries.ts";

export const metadata: Metadata = { title: "Requests & deliveries" };

const loadSearch = createLoader(requestSearch);
const loadDeliverySearch = createLoader(allDeliverySearch);

type Props = { params: Promise<{ tenant: string }>; searchParams: Promise<SearchParams> };

export default async function Requests({ params, searchParams }: Props) {
  const { tenant } = await params;
  const now = Date.now();
  const search = await loadSearch(searchParams);
  const query = requestQuery(search, now);
  const deliveries = await loadDeliverySearch(searchParams);
  const reads =
    search.view === "requests"
      ? [
          prefetch(requestPages(tenant, query), ({ ctx, query: requested }) =>
            listRequests(ctx, requested),
          ),
          prefetch(requestStatsOf(tenant, query), ({ ctx, query: requested }) =>
            getRequestStats(ctx, requested),
          ),
        ]
      : [
          prefetch(allDeliveryPages(tenant, deliveries), ({ ctx, query: requested }) =>
            listDeliveries(ctx, requested),
          ),
          deliveries.webhook_id === null
            ? prefetch(deliveryStatsOf(tenant), ({ ctx }) => getDeliveryStats(ctx))
            : prefetch(
                webhookStatsOf(tenant, deliveries.webhook_id),
                ({ ctx, params: requested }) => getWebhookStats(ctx, requested.id),
              ),
        ];
  return (
    <Prefetched reads={reads}>
      <RolePage
        access={listRequestsContract.access}
        title={TITLE}
        refusal={{
          title: "Admins view requests",
          reason:
            "They show what was sent to the API and what " +
            "it returned, for everyone in the tenant.",
          remedy: "Ask a tenant admin for the information you need or for the admin role.",
        }}
      >
        <RequestsPage now={now} deliveries={<AllDeliveries />} />
      </RolePage>
    </Prefetched>
  );
}
