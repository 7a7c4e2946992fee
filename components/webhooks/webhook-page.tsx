"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Deliveries } from "./deliveries.tsx";
import { deliveryPagesQuery, webhookQuery } from "./queries.ts";
import { deliverySearch } from "./search.ts";
import { type Act, WebhookActions } from "./webhook-actions.tsx";
import { WebhookFacts } from "./webhook-facts.tsx";
import { WebhookFigures } from "./webhook-figures.tsx";
import { WebhookNotes } from "./webhook-notes.tsx";
import { WebhookSkeleton } from "./webhook-skeleton.tsx";
import { shownUrl } from "./words.ts";

const WebhookDialog = dynamic(() => import("./webhook-dialog.tsx").then((part) => part.WebhookDialog), { ssr: false });

export function WebhookPage({ tenant, id }: { tenant: Tenant; id: string }) {
  const router = useRouter();
  const [search, setSearch] = useQueryStates(deliverySearch);
  const [act, setAct] = useState<Act | null>(null);
  const { data: webhook, error, refetch } = useQuery(webhookQuery(tenant.id, id));
  const { data: asOf } = useInfiniteQuery({ ...deliveryPagesQuery(tenant.id, id, search), select: ({ pages }) => pages[0]?.as_of });
  const list = { name: "Webhooks", href: `/${tenant.id}/webhooks` };
  const isShown = webhook && !(error && isRefusal(error));
  const onTested = (delivery: string) => setSearch({ status: null, type: null, event_id: null, delivery }, { history: "push" });
  return (
    <>
      <PageHeader tenantName={tenant.name} parent={list} title={isShown ? shownUrl(webhook.url) : "Webhook"}>
        {isShown && <WebhookActions tenantId={tenant.id} webhook={webhook} onAct={setAct} onTested={onTested} />}
      </PageHeader>
      {isShown ? (
        <div className="@container flex flex-col gap-6 px-4 pb-10 sm:px-6">
          <WebhookNotes webhook={webhook} asOf={asOf ?? webhook.updated_at} onAct={setAct} />
          <WebhookFigures webhook={webhook} />
          <WebhookFacts webhook={webhook} onAct={setAct} />
          <Deliveries tenantId={tenant.id} webhook={webhook} search={search} onSearch={setSearch} onTested={onTested} />
        </div>
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <WebhookSkeleton />
      )}
      {isShown && act && (
        <WebhookDialog
          act={act}
          tenantId={tenant.id}
          webhook={webhook}
          onClose={() => setAct(null)}
          onDeleted={() => router.push(list.href)}
        />
      )}
    </>
  );
}
