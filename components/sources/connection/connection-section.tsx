"use client";

import { Cable, Inbox } from "lucide-react";
import dynamic from "next/dynamic";
import { type ComponentProps, useState } from "react";
import { FormPanel } from "#components/kit/form-panel.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { useList } from "#components/kit/use-list.ts";
import type { PageLink } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import {
  type Connection,
  type ConnectionTest,
  createConnectionContract,
} from "#lib/connections/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import { Section, SectionNotice } from "../source-section.tsx";
import { ConnectionActions } from "./connection-actions.tsx";
import { ConnectionFacts, ConnectionNote, TestResult } from "./connection-facts.tsx";
import { FileTable } from "./file-table.tsx";
import { connectionFilePages, connectionOf } from "./queries.ts";

const ConnectionForm = dynamic(
  () => import("./connection-form.tsx").then((part) => part.ConnectionForm),
  { ssr: false },
);

type ConnectionList = ComponentProps<typeof ListBody>["list"];
type LinkTo = (to: { import: string }) => PageLink;

/** The server that a source's files are fetched from, and the files found there. */
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
        <NotConnected list={list} mayWrite={mayWrite} onConnect={() => setEditing(true)} />
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

function NotConnected({
  list,
  mayWrite,
  onConnect,
}: {
  list: ConnectionList;
  mayWrite: boolean;
  onConnect: () => void;
}) {
  return (
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
              <Button variant="primary" onClick={onConnect}>
                Connect
              </Button>
            )
          }
        >
          Fetch this source's files from a bank's SFTP server, a bucket or an address on business
          days, or receive them by mail. {!mayWrite && "An admin can connect it."}
        </SectionNotice>
      }
    >
      {() => null}
    </ListBody>
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
      {mayWrite && (
        <ConnectionActions connection={connection} onEdit={onEdit} onTested={setResult} />
      )}
      <div role="status" className="empty:hidden">
        {result && <TestResult result={result} />}
      </div>
      <Files id={connection.id} linkTo={linkTo} />
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
