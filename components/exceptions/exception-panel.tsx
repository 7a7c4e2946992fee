"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { useVisit } from "#components/ui/use-visit.ts";
import { exceptionQuery } from "./queries.ts";

const ExceptionDetails = dynamic(() => import("./exception-details.tsx").then((part) => part.ExceptionDetails), { loading: Loading });

/** `self`: the reader as an assignee. */
type Props = { tenantId: string; id: string | null; self: string; onClose: () => void };

/** The exception that the address names, beside the board. */
export function ExceptionPanel({ tenantId, id, self, onClose }: Props) {
  // It stays what it was while the panel slides away.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const visit = useVisit(id !== null);
  const { data, error, refetch } = useQuery({ ...exceptionQuery(tenantId, last ?? ""), enabled: id !== null });
  return (
    <SidePanel open={id !== null} onClose={onClose} side="right" label={data?.title ?? "Exception"}>
      {data ? (
        <ExceptionDetails key={`${data.id} ${visit}`} tenantId={tenantId} exception={data} self={self} />
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        last !== null && <Loading />
      )}
    </SidePanel>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the exception" className="flex flex-col gap-4 px-6">
      <Skeleton className="h-5 w-24" />
      <Skeleton className="h-6 w-3/4" />
      <Skeleton className="mt-4 h-40 w-full" />
    </div>
  );
}
