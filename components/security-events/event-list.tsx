"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ScrollText, SearchX } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { ExportMenu } from "#components/kit/export-menu.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { listSecurityEventsContract } from "#lib/security-events/contract.ts";
import { ChainStatus } from "./chain-status.tsx";
import { EventFilters } from "./event-filters.tsx";
import { EventPanel } from "./event-panel.tsx";
import { EventSkeleton } from "./event-skeleton.tsx";
import { EventTable } from "./event-table.tsx";
import { eventListKey, eventPages } from "./queries.ts";
import { eventQuery, eventSearch, NO_LIMITS } from "./search.ts";

/** `now`: the server's time when the page was requested. */
export function EventList({ now }: { now: number }) {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  const { search, set, linkTo, isFiltered, clear } = useSearch(eventSearch, [
    "type",
    "actor",
    "target",
    "across",
  ]);
  const { timeZone } = usePreferences();
  const [openedAt] = useState(now);
  const query = eventQuery(search, timeZone, openedAt);
  const list = useList(eventPages(tenantId, query));
  const open = (event: string) => linkTo({ event }).follow();

  return (
    <Page
      title="Security events"
      actions={
        list.newest && (
          <ExportMenu
            label="Export events"
            name={`security-events-${tenantId}`}
            contract={listSecurityEventsContract}
            call={{ tenant: tenantId, query }}
            failed="Couldn't export the events"
            // The export is recorded as an event itself.
            onSaved={() => cache.invalidateQueries({ queryKey: eventListKey(tenantId) })}
          />
        )
      }
    >
      {list.newest && <ChainStatus onOpen={open} />}
      <EventFilters search={search} onChange={set} onClear={isFiltered && clear} />
      <ListBody
        list={list}
        skeleton={<EventSkeleton />}
        bare={
          Object.keys(query).length === 0 ? (
            <Notice
              icon={ScrollText}
              title="No security events yet"
              action={
                <Link
                  href={`/${tenantId}/api-keys`}
                  className={buttonClass({ variant: "primary" })}
                >
                  Go to API keys
                </Link>
              }
            >
              Sign-ins, key and webhook changes, exports and refused calls appear here, in a
              tamper-evident log.
            </Notice>
          ) : (
            <Notice
              icon={SearchX}
              title="No matching events"
              action={<Button onClick={() => set(NO_LIMITS)}>Show all events</Button>}
            >
              Try different filters or a longer period.
            </Notice>
          )
        }
      >
        {() => <EventTable items={list.items} stale={list.isStale} linkTo={linkTo} />}
      </ListBody>
      <EventPanel
        id={search.event}
        onClose={() => set({ event: null })}
        onFilter={(filter) => linkTo({ ...NO_LIMITS, ...filter, event: null }).follow()}
      />
    </Page>
  );
}
