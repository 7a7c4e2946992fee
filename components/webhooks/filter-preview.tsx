"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import type { ResponseOf } from "#components/kit/query.ts";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { previewWebhookFiltersContract, WebhookFilters } from "#lib/webhooks/contract.ts";
import type { EventKind } from "#lib/wire/event-kinds.ts";
import { type FiltersDraft, filtersOf } from "./options-draft.ts";
import { webhookFilterPreview } from "./queries.ts";

type WebhookFilterPreview = ResponseOf<typeof previewWebhookFiltersContract>;

/** Counts, when asked to, the events of the last 7 days that pass the filters. */
export function FilterPreview({ events, filters }: { events: EventKind[]; filters: FiltersDraft }) {
  const [isShown, setShown] = useState(false);
  if (isShown) return <FilterCounts events={events} filters={filtersOf(filters)} />;
  return (
    <div>
      <Button size="sm" disabled={events.length === 0} onClick={() => setShown(true)}>
        Preview the last 7 days
      </Button>
    </div>
  );
}

export function FilterCounts({
  events,
  filters,
}: {
  events: EventKind[];
  filters: WebhookFilters;
}) {
  const { data, error } = useQuery(webhookFilterPreview(useTenantId(), { events, filters }));
  if (error) return <Note tone="warning">Couldn't preview the filters: {error.message}</Note>;
  return (
    <p role="status" className="text-sm">
      {data ? sentenceOf(data) : "Counting events…"}
    </p>
  );
}

function sentenceOf({ matched_count, total_count, complete }: WebhookFilterPreview): string {
  const matched = matched_count.toLocaleString("en");
  const counted = pluralize(total_count, "event");
  return complete
    ? `${matched} of ${counted} in the last 7 days would have been sent.`
    : `${matched} of the newest ${counted} would have been sent. ` +
        "Older events of the last 7 days weren't checked.";
}
