"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { KeyDetails } from "./key-details.tsx";
import { apiKeyById } from "./queries.ts";

/** `onOpen` opens another key. */
type Props = {
  id: string | null;
  address: string | null;
  onOpen: (id: string) => void;
  onClose: () => void;
};

export function KeyPanel({ id, address, onOpen, onClose }: Props) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(keyId) => apiKeyById(tenantId, keyId)}
      noun="API key"
      title={({ name }) => name}
      onClose={onClose}
    >
      {(key) => <KeyDetails apiKey={key} address={address} onOpen={onOpen} />}
    </ResourcePanel>
  );
}
