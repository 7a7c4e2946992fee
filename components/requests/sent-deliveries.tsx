"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelSection } from "#components/kit/panel-parts.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { listDeliveriesContract } from "#lib/webhooks/deliveries/contract.ts";
import { deliveriesOf } from "./queries.ts";

/** The webhook deliveries that a request caused. */
export function SentDeliveries({ requestId }: { requestId: string }) {
  const tenant = useTenantId();
  const may = useIsAllowed(listDeliveriesContract.access);
  const { data } = useQuery({ ...deliveriesOf(tenant, requestId), enabled: may });
  if (!data || data.items.length === 0) return null;
  return (
    <PanelSection title="Deliveries it caused">
      <ul className="flex flex-col divide-y divide-line rounded-md border border-line text-sm">
        {data.items.map(({ id, webhook_id, type, status }) => (
          <li key={id} className="flex items-center justify-between gap-3 px-3 py-1.5">
            <Link
              href={`/${tenant}/webhooks/${webhook_id}?delivery=${id}`}
              prefetch={false}
              className="min-w-0 truncate text-accent-text hover:underline"
            >
              {type}
            </Link>
            <span className="text-muted first-letter:uppercase">{status}</span>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}
