"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { EventDetails } from "./event-details.tsx";
import { eventById } from "./queries.ts";
import type { EventSearch } from "./search.ts";
import { sentenceOf } from "./sentence.ts";

type Props = {
  id: string | null;
  onClose: () => void;
  onFilter: (filter: Partial<EventSearch>) => void;
};

export function EventPanel({ id, onClose, onFilter }: Props) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(eventId) => eventById(tenantId, eventId)}
      noun="security event"
      title={sentenceOf}
      onClose={onClose}
    >
      {(event) => <EventDetails event={event} onFilter={onFilter} />}
    </ResourcePanel>
  );
}
