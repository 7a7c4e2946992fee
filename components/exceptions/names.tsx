"use client";

import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { calendarById, reconciliationNameOf } from "./queries.ts";

/** The name behind an ID; the ID if it can't be read. */
export function ReconciliationName({ id }: { id: string }) {
  const { data, isPending } = useQuery(reconciliationNameOf(useTenantId(), id));
  return isPending ? <NameSkeleton /> : (data?.name ?? id);
}

export function CalendarName({ id }: { id: string }) {
  const { data, isPending } = useQuery(calendarById(useTenantId(), id));
  return isPending ? <NameSkeleton /> : (data?.name ?? id);
}

function NameSkeleton() {
  return (
    <span className="inline-block w-32 py-1">
      <Skeleton className="h-3" />
    </span>
  );
}
