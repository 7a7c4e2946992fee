"use client";

import { KeyRound, Plus, SearchX } from "lucide-react";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PRODUCT } from "#lib/wire/product.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { KeyFilters } from "./key-filters.tsx";
import { KeyPanel } from "./key-panel.tsx";
import { KeySkeleton } from "./key-skeleton.tsx";
import { KeyTable } from "./key-table.tsx";
import { apiKeyPages } from "./queries.ts";
import { apiKeySearch } from "./search.ts";
import { useFirstCallToast } from "./use-first-call-toast.ts";

/** `address` is the user's own, as the server sees it. */
export function ApiKeyList({ address }: { address: string | null }) {
  const tenantId = useTenantId();
  const { search, set, linkTo, isFiltered, clear } = useSearch(apiKeySearch, ["q", "status"]);
  const list = useList(apiKeyPages(tenantId, search));
  const isEmpty = list.isBare && !isFiltered;
  const create = () => set({ new: true });
  useFirstCallToast(list.items, list.newest?.as_of);

  return (
    <Page
      title="API keys"
      actions={
        list.newest &&
        !isEmpty && (
          <Button variant="primary" onClick={create}>
            <Plus aria-hidden className="size-4" />
            Create key
          </Button>
        )
      }
    >
      {!isEmpty && <KeyFilters search={search} onChange={set} onClear={isFiltered && clear} />}
      <ListBody
        list={list}
        skeleton={<KeySkeleton />}
        bare={
          isFiltered ? (
            <Notice
              icon={SearchX}
              title="No matching API keys"
              action={<Button onClick={clear}>Clear filters</Button>}
            >
              Try different filters.
            </Notice>
          ) : (
            <Notice
              icon={KeyRound}
              title="No API keys yet"
              action={
                <Button variant="primary" onClick={create}>
                  Create key
                </Button>
              }
            >
              An API key lets your servers call {PRODUCT} without a user signing in: a batch job, a
              bank feed, an export.
            </Notice>
          )
        }
      >
        {({ as_of }) => (
          <KeyTable items={list.items} asOf={as_of} stale={list.isStale} linkTo={linkTo} />
        )}
      </ListBody>
      <KeyPanel
        id={search.key}
        address={address}
        onOpen={(key) => linkTo({ key }).follow()}
        onClose={() => set({ key: null })}
      />
      {search.new && <CreateKeyDialog address={address} onClose={() => set({ new: null })} />}
    </Page>
  );
}
