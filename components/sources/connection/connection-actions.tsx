"use client";

import { Cable, Download, Pause, Pencil, Play, Trash2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type Connection,
  type ConnectionTest,
  fetchConnectionContract,
  testConnectionContract,
  updateConnectionContract,
} from "#lib/connections/contract.ts";
import { connectionsKey } from "./queries.ts";

const DeleteDialog = dynamic(
  () => import("./delete-dialog.tsx").then((part) => part.DeleteDialog),
  { ssr: false },
);

type OnTested = (result: ConnectionTest | null) => void;

/** The actions of an admin on a connection. `onTested` receives null when a new test starts. */
export function ConnectionActions({
  connection,
  onEdit,
  onTested,
}: {
  connection: Connection;
  onEdit: () => void;
  onTested: OnTested;
}) {
  const [deleting, setDeleting] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      {connection.kind !== "mail" && (
        <>
          <FetchButton connection={connection} />
          <TestButton connection={connection} onTested={onTested} />
        </>
      )}
      <Button onClick={onEdit}>
        <Pencil aria-hidden className="size-4 text-muted" />
        Edit connection
      </Button>
      {connection.status !== "stopped" && <PauseButton connection={connection} />}
      <Button onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden className="size-4 text-muted" />
        Delete
      </Button>
      {deleting && <DeleteDialog connection={connection} onClose={() => setDeleting(false)} />}
    </div>
  );
}

function FetchButton({ connection: { id, status, address } }: { connection: Connection }) {
  const tenant = useTenantId();
  const { start, isPending } = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(fetchConnectionContract, { tenant, params: { id }, idempotencyKey }),
    onDone: () =>
      toast(`Looking for files at ${address}`, {
        description: "What is found appears below in a moment.",
      }),
    failed: "Couldn't fetch",
    stale: connectionsKey(tenant),
  });
  return (
    <Button disabled={isPending || status === "stopped"} onClick={() => start(undefined)}>
      <Download aria-hidden className="size-4 text-muted" />
      Fetch now
    </Button>
  );
}

function TestButton({
  connection: { id },
  onTested,
}: {
  connection: Connection;
  onTested: OnTested;
}) {
  const tenant = useTenantId();
  const { start, isPending } = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(testConnectionContract, { tenant, params: { id }, idempotencyKey }),
    onDone: onTested,
    failed: "Couldn't test the connection",
  });
  return (
    <Button
      disabled={isPending}
      onClick={() => {
        onTested(null);
        start(undefined);
      }}
    >
      <Cable aria-hidden className="size-4 text-muted" />
      {isPending ? "Testing…" : "Test"}
    </Button>
  );
}

function PauseButton({ connection: { id, status, address } }: { connection: Connection }) {
  const tenant = useTenantId();
  const isPaused = status === "paused";
  const { start, isPending } = useMutate({
    send: (_: undefined) =>
      callApi(updateConnectionContract, {
        tenant,
        params: { id },
        body: { status: isPaused ? "active" : "paused" },
      }),
    onDone: () =>
      toast(isPaused ? "Resumed the connection" : "Paused the connection", {
        description: address,
      }),
    failed: isPaused ? "Couldn't resume" : "Couldn't pause",
    stale: connectionsKey(tenant),
  });
  const Icon = isPaused ? Play : Pause;
  return (
    <Button disabled={isPending} onClick={() => start(undefined)}>
      <Icon aria-hidden className="size-4 text-muted" />
      {isPaused ? "Resume" : "Pause"}
    </Button>
  );
}
