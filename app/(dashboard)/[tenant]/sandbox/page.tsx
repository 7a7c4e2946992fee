import type { Metadata } from "next";
import { RolePage } from "#components/kit/role-page.tsx";
import { SandboxPage } from "#components/sandbox/sandbox-page.tsx";
import { createSandboxContract } from "#lib/tenants/contract.ts";

export const metadata: Metadata = { title: "Sandbox" };

export default function Sandbox() {
  return (
    <RolePage
      access={createSandboxContract.access}
      title="Sandbox"
      refusal={{
        title: "Admins manage the sandbox",
        reason: "Only admins can create or reset a sandbox.",
        remedy: "Ask a tenant admin to create one. You can use it with your role.",
      }}
    >
      <SandboxPage />
    </RolePage>
  );
}
