"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { KeyDetails } from "./key-details.tsx";
import { apiKeyQuery } from "./queries.ts";

type Props = {
  tenantId: string;
  id: string | null;
  address: string | null;
  /** Opens another key. */
  onOpen: (id: string) => void;
  onClose: () => void;
};

/** The key that the address names, beside the list. */
export function KeyPanel({ tenantId, id, address, onOpen, onClose }: Props) {
  // It stays what it was while the panel slides away.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const { data, error, refetch } = useQuery({ ...apiKeyQuery(tenantId, last ?? ""), enabled: id !== null });
  return (
    <SidePanel open={id !== null} onClose={onClose} side="right" label={data?.name ?? "API key"}>
      {data ? (
        <KeyDetails key={data.id} tenantId={tenantId} apiKey={data} address={address} onOpen={onOpen} />
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
    <div role="status" aria-label="Loading the API key" className="flex flex-col gap-4 px-6">
      <Skeleton className="h-6 w-3/4" />
      <Skeleton className="h-5 w-24" />
      <Skeleton className="mt-4 h-40 w-full" />
      <Skeleton className="h-32 w-full" />
    </div>
  );
}
