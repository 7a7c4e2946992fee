"use client";

import { Cable, Download, Inbox, Pause, Pencil, Play, Trash2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormPanel } from "#components/kit/form-panel.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { useList } from "#components/kit/use-list.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import type { PageLink } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type Connection,
  type ConnectionTest,
  createConnectionContract,
  fetchConnectionContract,
  testConnectionContract,
  updateConnectionContract,
} from "#lib/connections/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import { Section, SectionNotice } from "../section.tsx";
import { ConnectionFacts, ConnectionNote, TestResult } from "./connection-facts.tsx";
import { FileTable } from "./file-table.tsx";
import { connectionFilePages, connectionOf, connectionsKey } from "./queries.ts";

const ConnectionForm = dynamic(
  () => import("./connection-form.tsx").then((part) => part.ConnectionForm),
  { ssr: false },
);
const DeleteDialog = dynamic(
  () => import("./delete-dialog.tsx").then((part) => part.DeleteDialog),
  { ssr: false },
);

type LinkTo = (to: { import: string }) => PageLink;

/** Where the files of a source are fetched from, and what was found there. */
export function ConnectionSection({ source, linkTo }: { source: Source; linkTo: LinkTo }) {
  const list = useList(connectionOf(useTenantId(), source.id));
  const mayWrite = useIsAllowed(createConnectionContract.access);
  const [editing, setEditing] = useState(false);
  const [connection] = list.items;
  const stop = () => setEditing(false);
  return (
    <Section title="Connection">
      {connection ? (
        <Connected
          connection={connection}
          mayWrite={mayWrite}
          linkTo={linkTo}
          onEdit={() => setEditing(true)}
        />
      ) : (
        <ListBody
          list={list}
          skeleton={
            <ListSkeleton
              label="Loading the connection"
              count={1}
              row="h-15.5 gap-4 px-4"
              cells={["w-1/3", "ml-auto w-24"]}
            />
          }
          bare={
            <SectionNotice
              icon={Cable}
              title="Not connected"
              action={
                mayWrite && (
                  <Button variant="primary" onClick={() => setEditing(true)}>
                    Connect
                  </Button>
                )
              }
            >
              Fetch this source's files from a bank's SFTP server, a bucket or an address on
              business days, or receive them by mail. {!mayWrite && "An admin can connect it."}
            </SectionNotice>
          }
        >
          {() => null}
        </ListBody>
      )}
      <FormPanel open={editing} label={`Connection of ${source.name}`} onClose={stop}>
        <ConnectionForm
          source={source}
          onDone={stop}
          {...(connection && { initial: connection })}
        />
      </FormPanel>
    </Section>
  );
}

function Connected({
  connection,
  mayWrite,
  linkTo,
  onEdit,
}: {
  connection: Connection;
  mayWrite: boolean;
  linkTo: LinkTo;
  onEdit: () => void;
}) {
  const [result, setResult] = useState<ConnectionTest | null>(null);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <ConnectionNote connection={connection} />
      <ConnectionFacts connection={connection} />
      {mayWrite && <Actions connection={connection} onEdit={onEdit} onTested={setResult} />}
      <div role="status" className="empty:hidden">
        {result && <TestResult result={result} />}
      </div>
      <Files id={connection.id} linkTo={linkTo} />
    </div>
  );
}

function Actions({
  connection,
  onEdit,
  onTested,
}: {
  connection: Connection;
  onEdit: () => void;
  onTested: (result: ConnectionTest | null) => void;
}) {
  const { id, kind, status } = connection;
  const tenant = useTenantId();
  const [deleting, setDeleting] = useState(false);
  const stale = connectionsKey(tenant);
  const params = { id };
  const test = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(testConnectionContract, { tenant, params, idempotencyKey }),
    onDone: onTested,
    failed: "Couldn't test the connection",
  });
  const fetching = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(fetchConnectionContract, { tenant, params, idempotencyKey }),
    onDone: () =>
      toast("Looking for files", { description: "What is found appears below in a moment." }),
    failed: "Couldn't fetch",
    stale,
  });
  const isPaused = status === "paused";
  const pausing = useMutate({
    send: (_: undefined) =>
      callApi(updateConnectionContract, {
        tenant,
        params,
        body: { status: isPaused ? "active" : "paused" },
      }),
    onDone: () => toast(isPaused ? "Resumed the connection" : "Paused the connection"),
    failed: isPaused ? "Couldn't resume" : "Couldn't pause",
    stale,
  });
  return (
    <div className="flex flex-wrap gap-2">
      {kind !== "mail" && (
        <>
          <Button
            disabled={fetching.isPending || status === "stopped"}
            onClick={() => fetching.start(undefined)}
          >
            <Download aria-hidden className="size-4 text-muted" />
            Fetch now
          </Button>
          <Button
            disabled={test.isPending}
            onClick={() => {
              onTested(null);
              test.start(undefined);
            }}
          >
            <Cable aria-hidden className="size-4 text-muted" />
            {test.isPending ? "Testing…" : "Test"}
          </Button>
        </>
      )}
      <Button onClick={onEdit}>
        <Pencil aria-hidden className="size-4 text-muted" />
        Edit connection
      </Button>
      {status !== "stopped" && (
        <Button disabled={pausing.isPending} onClick={() => pausing.start(undefined)}>
          {isPaused ? (
            <Play aria-hidden className="size-4 text-muted" />
          ) : (
            <Pause aria-hidden className="size-4 text-muted" />
          )}
          {isPaused ? "Resume" : "Pause"}
        </Button>
      )}
      <Button onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden className="size-4 text-muted" />
        Delete
      </Button>
      {deleting && <DeleteDialog connection={connection} onClose={() => setDeleting(false)} />}
    </div>
  );
}

function Files({ id, linkTo }: { id: string; linkTo: LinkTo }) {
  const list = useList(connectionFilePages(useTenantId(), id));
  return (
    <ListBody
      list={list}
      skeleton={
        <ListSkeleton
          label="Loading files"
          count={3}
          row="h-15.5 gap-4 px-4"
          cells={["w-1/3", "w-24", "ml-auto w-16"]}
        />
      }
      bare={
        <SectionNotice icon={Inbox} title="No files yet">
          Each file that is found is listed here, with what came of it.
        </SectionNotice>
      }
    >
      {() => <FileTable items={list.items} linkTo={linkTo} />}
    </ListBody>
  );
}
