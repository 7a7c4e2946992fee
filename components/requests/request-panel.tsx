"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { requestById } from "./queries.ts";
import { RequestDetails } from "./request-details.tsx";
import type { RequestSearch } from "./search.ts";

type Props = {
  id: string | null;
  onClose: () => void;
  onFilter: (filter: Partial<RequestSearch>) => void;
};

export function RequestPanel({ id, onClose, onFilter }: Props) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(requestId) => requestById(tenantId, requestId)}
      noun="request"
      title={({ method, path }) => `${method} ${path}`}
      onClose={onClose}
    >
      {(call) => <RequestDetails call={call} onFilter={onFilter} />}
    </ResourcePanel>
  );
}
