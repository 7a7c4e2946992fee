"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { EventDetails } from "./event-details.tsx";
import { eventDetailsQuery } from "./queries.ts";
import type { EventSearch } from "./search.ts";
import { actionOf } from "./words.ts";

type Props = { tenantId: string; id: string | null; onClose: () => void; onFilter: (filter: Partial<EventSearch>) => void };

/** The event that the address names, beside the list. */
export function EventPanel({ tenantId, id, onClose, onFilter }: Props) {
  // It stays what it was while the panel slides away.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const { data, error, refetch } = useQuery({ ...eventDetailsQuery(tenantId, last ?? ""), enabled: id !== null });
  return (
    <SidePanel open={id !== null} onClose={onClose} side="right" label={data ? actionOf(data) : "Security event"}>
      {data ? (
        <EventDetails tenantId={tenantId} event={data} onFilter={onFilter} />
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        last !== null && (
          <div role="status" aria-label="Loading the event" className="flex flex-col gap-4 px-6">
            <Skeleton className="h-6 w-3/4" />
            <Skeleton className="h-5 w-24" />
            <Skeleton className="mt-4 h-48 w-full" />
          </div>
        )
      )}
    </SidePanel>
  );
}
