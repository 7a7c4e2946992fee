"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useEffect, useMemo } from "react";
import { isRefusal } from "#components/api-client.ts";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { Button } from "#components/ui/button.tsx";
import { LoadMore } from "#components/ui/load-more.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { startServerClock } from "#components/ui/server-clock.ts";
import { WEBHOOK_STATUSES, type Webhook } from "#lib/webhooks/contract.ts";
import { webhookPagesQuery } from "./queries.ts";
import { webhookSearch } from "./search.ts";
import { WebhookTable } from "./webhook-table.tsx";
import { WebhooksEmpty, WebhooksNoMatch, WebhooksSkeleton } from "./webhooks-states.tsx";
import { WEBHOOK_STATUS_WORDS } from "./words.ts";

// Never on the server: its secret would stand in the HTML.
const RegisterDialog = dynamic(() => import("./register-dialog.tsx").then((part) => part.RegisterDialog), { ssr: false });

const ALL = "all";

export function WebhooksPage({ tenant }: { tenant: Tenant }) {
  const router = useRouter();
  const [search, setSearch] = useQueryStates(webhookSearch);
  const pages = useInfiniteQuery(webhookPagesQuery(tenant.id, search));
  const { data, error, hasNextPage } = pages;
  const newest = data?.pages.at(0);
  const items = useMemo(() => withoutTwins(data?.pages.flatMap((page) => page.items) ?? []), [data]);
  const isEmpty = items.length === 0 && search.status === null && !pages.isPlaceholderData;
  const register = () => setSearch({ new: true });

  useEffect(() => {
    if (newest) startServerClock(newest.as_of);
  }, [newest]);

  return (
    <>
      <PageHeader tenantName={tenant.name} title="Webhooks">
        {newest && !isEmpty && (
          <Button variant="primary" onClick={register}>
            <Plus aria-hidden className="size-4" />
            Register webhook
          </Button>
        )}
      </PageHeader>
      {!newest || (error && isRefusal(error)) ? (
        error ? (
          <ProblemNotice error={error} onRetry={() => pages.refetch()} />
        ) : (
          <WebhooksSkeleton />
        )
      ) : (
        <div className="@container px-4 pb-10 sm:px-6">
          {isEmpty ? (
            <WebhooksEmpty onRegister={register} />
          ) : (
            <>
              <div className="pb-4">
                <Segmented
                  label="Status"
                  value={search.status ?? ALL}
                  options={[
                    { value: ALL, label: "All" },
                    ...WEBHOOK_STATUSES.map((status) => ({ value: status, label: WEBHOOK_STATUS_WORDS[status] })),
                  ]}
                  onChange={(status) => setSearch({ status: status === ALL ? null : status })}
                />
              </div>
              {items.length === 0 ? (
                <WebhooksNoMatch onClear={() => setSearch({ status: null })} />
              ) : (
                <WebhookTable items={items} tenantId={tenant.id} asOf={newest.as_of} stale={pages.isPlaceholderData} />
              )}
              {hasNextPage && <LoadMore shown={items.length} pages={pages} />}
            </>
          )}
        </div>
      )}
      {newest && search.new && (
        <RegisterDialog
          tenantId={tenant.id}
          onClose={() => setSearch({ new: null })}
          onRegistered={async ({ id }) => {
            // First, so that going back does not open the form again.
            await setSearch({ new: null });
            router.push(`/${tenant.id}/webhooks/${id}`);
          }}
        />
      )}
    </>
  );
}

/** The pages are asked for one after another; a webhook can be on two of them. */
function withoutTwins(items: Webhook[]): Webhook[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
