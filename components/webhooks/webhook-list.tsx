"use client";

import { Plus, SearchX, Webhook } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { WEBHOOK_STATUSES } from "#lib/webhooks/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import { WEBHOOK_STATUS_LABELS } from "./labels.ts";
import { webhookPages } from "./queries.ts";
import { webhookSearch } from "./search.ts";
import { WebhookListSkeleton } from "./webhook-skeletons.tsx";
import { WebhookTable } from "./webhook-table.tsx";

// Never on the server: the secret would be in the HTML.
const RegisterDialog = dynamic(
  () => import("./register-dialog.tsx").then((part) => part.RegisterDialog),
  { ssr: false },
);

const ALL = "all";
const STATUSES = [
  { value: ALL, label: "All" },
  ...WEBHOOK_STATUSES.map((status) => ({ value: status, label: WEBHOOK_STATUS_LABELS[status] })),
] as const;

export function WebhookList() {
  const tenantId = useTenantId();
  const router = useRouter();
  const { search, set, isFiltered, clear } = useSearch(webhookSearch, ["status"]);
  const list = useList(webhookPages(tenantId, search));
  const isEmpty = list.isBare && !isFiltered;
  const register = () => set({ new: true });

  return (
    <Page
      title="Webhooks"
      actions={
        list.newest &&
        !isEmpty && (
          <Button variant="primary" onClick={register}>
            <Plus aria-hidden className="size-4" />
            Register webhook
          </Button>
        )
      }
    >
      {!isEmpty && (
        <div className="pb-4">
          <Segmented
            label="Status"
            value={search.status ?? ALL}
            options={STATUSES}
            onChange={(status) => set({ status: status === ALL ? null : status })}
          />
        </div>
      )}
      <ListBody
        list={list}
        skeleton={<WebhookListSkeleton />}
        bare={
          isFiltered ? (
            <Notice
              icon={SearchX}
              title="No matching webhooks"
              action={<Button onClick={clear}>Clear filters</Button>}
            >
              Try another status.
            </Notice>
          ) : (
            <Notice
              icon={Webhook}
              title="No webhooks yet"
              action={
                <Button variant="primary" onClick={register}>
                  Register webhook
                </Button>
              }
            >
              {PRODUCT} sends events to your server as they happen, such as an exception nearing its
              deadline or an API key expiring. Every delivery is signed, retried and logged here.
            </Notice>
          )
        }
      >
        {({ as_of }) => <WebhookTable items={list.items} asOf={as_of} stale={list.isStale} />}
      </ListBody>
      {list.newest && search.new && (
        <RegisterDialog
          onClose={() => set({ new: null })}
          onRegistered={async ({ id }) => {
            // First, so that Back doesn't reopen the form.
            await set({ new: null });
            router.push(`/${tenantId}/webhooks/${id}`);
          }}
        />
      )}
    </Page>
  );
}
