import type { ReactNode } from "react";
import { RolePage } from "#components/kit/role-page.tsx";
import { listWebhooksContract } from "#lib/webhooks/contract.ts";

export default function WebhooksLayout({ children }: { children: ReactNode }) {
  return (
    <RolePage
      access={listWebhooksContract.access}
      title="Webhooks"
      refusal={{
        title: "Admins manage webhooks",
        reason:
          "A webhook sends this tenant's events to an external " +
          "server, so only admins register and inspect them.",
        remedy: "Ask a tenant admin to register one or for the admin role.",
      }}
    >
      {children}
    </RolePage>
  );
}
