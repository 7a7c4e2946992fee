"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { DeliveryDetails } from "./delivery-details.tsx";
import { deliveryQuery } from "./queries.ts";

type Props = { tenantId: string; webhook: Webhook; id: string | null; onClose: () => void };

/** The delivery that the address names, beside the log. */
export function DeliveryPanel({ tenantId, webhook, id, onClose }: Props) {
  // It stays what it was while the panel slides away.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const { data, error, refetch } = useQuery({ ...deliveryQuery(tenantId, webhook.id, last ?? ""), enabled: id !== null });
  return (
    <SidePanel open={id !== null} onClose={onClose} side="right" label={data ? `Delivery of ${data.type}` : "Delivery"}>
      {data && !(error && isRefusal(error)) ? (
        <DeliveryDetails key={data.id} tenantId={tenantId} webhook={webhook} delivery={data} />
      ) : error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : (
        <div role="status" aria-label="Loading the delivery" className="flex flex-col gap-4 px-6">
          <Skeleton className="h-5 w-24" />
          <Skeleton className="h-6 w-3/4" />
          <Skeleton className="mt-4 h-40 w-full" />
        </div>
      )}
    </SidePanel>
  );
}
