"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useSearch } from "#components/kit/use-search.ts";
import { AttemptsChart } from "./attempts-chart.tsx";
import { Deliveries } from "./deliveries.tsx";
import { formatUrl } from "./labels.ts";
import { deliveryPages, webhookById, webhookStatsOf } from "./queries.ts";
import { DELIVERY_FILTERS, deliverySearch } from "./search.ts";
import { type WebhookAction, WebhookActions } from "./webhook-actions.tsx";
import { WebhookFacts } from "./webhook-facts.tsx";
import { WebhookFigures } from "./webhook-figures.tsx";
import { WebhookNotes } from "./webhook-notes.tsx";
import { WebhookSkeleton } from "./webhook-skeletons.tsx";

const WebhookDialog = dynamic(
  () => import("./webhook-dialog.tsx").then((part) => part.WebhookDialog),
  { ssr: false },
);

export function WebhookPage({ id }: { id: string }) {
  const tenantId = useTenantId();
  const router = useRouter();
  const searching = useSearch(deliverySearch, DELIVERY_FILTERS);
  const [action, setAction] = useState<WebhookAction | null>(null);
  const { data: webhook, error, refetch } = useQuery(webhookById(tenantId, id));
  const { data: loaded } = useInfiniteQuery({
    ...deliveryPages(tenantId, id, searching.search),
    select: ({ pages }) => ({
      asOf: pages[0]?.as_of,
      failed: pages
        .flatMap(({ items }) => items)
        .find(({ last_attempt }) => last_attempt?.status === "failed"),
    }),
  });
  const stats = useQuery(webhookStatsOf(tenantId, id));
  const isShown = webhook && !(error && isRefusal(error));
  const onTested = (delivery: string) =>
    searching
      .linkTo({ status: null, type: null, event_id: null, since: null, until: null, delivery })
      .follow();
  return (
    <Page
      parent={{ name: "Webhooks", path: "webhooks" }}
      title={isShown ? formatUrl(webhook.url) : "Webhook"}
      actions={
        isShown && <WebhookActions webhook={webhook} onAction={setAction} onTested={onTested} />
      }
    >
      {isShown ? (
        <div className="flex flex-col gap-6">
          <WebhookNotes
            webhook={webhook}
            asOf={loaded?.asOf ?? webhook.updated_at}
            onAction={setAction}
            lastFailure={
              loaded?.failed && {
                statusCode: loaded.failed.last_attempt?.status_code ?? null,
                to: searching.linkTo({ delivery: loaded.failed.id }),
              }
            }
          />
          <WebhookFigures webhook={webhook} />
          <AttemptsChart
            stats={stats}
            onChoose={(since, until) => searching.linkTo({ since, until }).follow()}
          />
          <WebhookFacts webhook={webhook} onAction={setAction} />
          <Deliveries webhook={webhook} searching={searching} onTested={onTested} />
        </div>
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <WebhookSkeleton />
      )}
      {isShown && action && (
        <WebhookDialog
          action={action}
          webhook={webhook}
          onClose={() => setAction(null)}
          onDeleted={() => router.push(`/${tenantId}/webhooks`)}
        />
      )}
    </Page>
  );
}
