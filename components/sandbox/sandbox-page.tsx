"use client";

import { CalendarPlus, RotateCcw, TestTubeDiagonal } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { useMember } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { createSandboxContract } from "#lib/tenants/contract.ts";
import { isSandbox } from "#lib/wire/sandbox.ts";
import { ResetDialog } from "./reset-dialog.tsx";

export function SandboxPage() {
  const { tenant } = useMember();
  return <Page title="Sandbox">{isSandbox(tenant.id) ? <Tools /> : <Entrance />}</Page>;
}

/** In a live tenant: creates its sandbox, or leads to it. */
function Entrance() {
  const { tenant, sandboxId } = useMember();
  const { start, isPending } = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(createSandboxContract, { tenant: tenant.id, idempotencyKey }),
    // A full load, so that the tenant switcher has it.
    onDone: ({ tenant_id }) => window.location.assign(`/${tenant_id}/sandbox`),
    failed: "Couldn't create the sandbox",
  });
  return (
    <Notice
      icon={TestTubeDiagonal}
      title={sandboxId ? "This tenant has a sandbox" : "Try calls without real data"}
      action={
        sandboxId ? (
          <Link href={`/${sandboxId}/sandbox`} className={buttonClass({ variant: "primary" })}>
            Open sandbox
          </Link>
        ) : (
          <Button variant="primary" disabled={isPending} onClick={() => start(undefined)}>
            {isPending ? "Creating…" : "Create sandbox"}
          </Button>
        )
      }
    >
      A sandbox has its own data and its own API keys, which begin with{" "}
      <code className="font-mono text-sm whitespace-nowrap">tks_test_</code>. Everyone here has the
      same roles in it. It sends no email, and you can reset it at any time.
    </Notice>
  );
}

function Tools() {
  const [dialog, setDialog] = useState<"reset" | "sample">();
  return (
    <div className="grid gap-4 @3xl:grid-cols-2">
      <Card
        title="Sample month"
        hint="A bank and a ledger of last month, with matches, a suggestion and open exceptions."
      >
        <Button className="self-start" onClick={() => setDialog("sample")}>
          <CalendarPlus aria-hidden className="size-4" />
          Load sample month
        </Button>
      </Card>
      <Card
        title="Reset"
        hint="Deletes everything made here. API keys, webhooks, alert channels and logs stay."
      >
        <Button variant="danger" className="self-start" onClick={() => setDialog("reset")}>
          <RotateCcw aria-hidden className="size-4" />
          Reset sandbox
        </Button>
      </Card>
      {dialog && <ResetDialog sample={dialog === "sample"} onClose={() => setDialog(undefined)} />}
    </div>
  );
}
