"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useEffect, useMemo } from "react";
import { isRefusal } from "#components/api-client.ts";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { Button } from "#components/ui/button.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { startServerClock } from "#components/ui/server-clock.ts";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { KeyFilters } from "./key-filters.tsx";
import { KeyPanel } from "./key-panel.tsx";
import { KeyTable } from "./key-table.tsx";
import { KeysEmpty, KeysNoMatch } from "./keys-empty.tsx";
import { KeysSkeleton } from "./keys-skeleton.tsx";
import { apiKeyPagesQuery } from "./queries.ts";
import { apiKeySearch, serializeApiKeySearch } from "./search.ts";
import { useFirstCallToast } from "./use-first-call-toast.ts";

/** `address`: the reader's own as the server sees it. */
export function ApiKeys({ tenant, address }: { tenant: Tenant; address: string | null }) {
  const [search, setSearch] = useQueryStates(apiKeySearch);
  const setCreating = (creating: boolean) => setSearch({ new: creating || null });
  const pages = useInfiniteQuery(apiKeyPagesQuery(tenant.id, search));
  const { data, error, hasNextPage, isFetchingNextPage } = pages;
  const newest = data?.pages.at(0);
  const items = useMemo(() => withoutTwins(data?.pages.flatMap((page) => page.items) ?? []), [data]);
  const isFiltered = search.q !== null || search.status !== null;
  useFirstCallToast(items, newest?.as_of);

  useEffect(() => {
    if (newest) startServerClock(newest.as_of);
  }, [newest]);

  const isEmpty = items.length === 0 && !isFiltered && !pages.isPlaceholderData;
  const header = (
    <PageHeader tenantName={tenant.name} title="API keys">
      {newest && !isEmpty && (
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden className="size-4" />
          Create key
        </Button>
      )}
    </PageHeader>
  );

  if (!newest || (error && isRefusal(error))) {
    return (
      <>
        {header}
        {error ? <ProblemNotice error={error} onRetry={() => pages.refetch()} /> : <KeysSkeleton />}
      </>
    );
  }

  return (
    <>
      {header}
      <div className="@container px-4 pb-10 sm:px-6">
        {isEmpty ? (
          <KeysEmpty onCreate={() => setCreating(true)} />
        ) : (
          <>
            <div className="pb-4">
              <KeyFilters search={search} onChange={setSearch} />
            </div>
            {items.length === 0 ? (
              <KeysNoMatch onClear={() => setSearch({ q: null, status: null })} />
            ) : (
              <KeyTable
                items={items}
                asOf={newest.as_of}
                stale={pages.isPlaceholderData}
                hrefOf={(key) => serializeApiKeySearch({ ...search, key })}
                onOpen={(key) => setSearch({ key }, { history: "push" })}
              />
            )}
            {hasNextPage && (
              <div className="flex justify-center py-4">
                <Button disabled={isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
                  {isFetchingNextPage ? "Loading…" : "Show more"}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
      <KeyPanel
        tenantId={tenant.id}
        id={search.key}
        address={address}
        onOpen={(key) => setSearch({ key }, { history: "push" })}
        onClose={() => setSearch({ key: null })}
      />
      {search.new && <CreateKeyDialog tenantId={tenant.id} address={address} onClose={() => setCreating(false)} />}
    </>
  );
}

/** The pages are asked for one after another; a key can be on two of them. */
function withoutTwins(items: ApiKey[]): ApiKey[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
