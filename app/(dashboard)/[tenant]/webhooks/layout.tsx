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
        why: "A webhook sends what happens in this tenant to a server outside of it, so only an admin registers and inspects them.",
        ask: "Ask a tenant admin to register one, or for their role.",
      }}
    >
      {children}
    </RolePage>
  );
}
