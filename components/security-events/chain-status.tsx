"use client";

import { useQuery } from "@tanstack/react-query";
import { Link2, Link2Off, ShieldCheck } from "lucide-react";
import { useTenantId } from "#components/kit/member.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { Time } from "#components/ui/time.tsx";
import type { ChainVerification } from "#lib/security-events/contract.ts";
import { chainVerification } from "./queries.ts";

/** Verifies the audit log and shows the result. */
export function ChainStatus({ onOpen }: { onOpen: (id: string) => void }) {
  const { data, error, isFetching, refetch } = useQuery(chainVerification(useTenantId()));
  return (
    <section aria-label="Audit log integrity" className="flex flex-col gap-2 pb-4 short:pb-2">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
        <div role="status" className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
          {data ? (
            <Verdict verification={data} />
          ) : (
            <span className="flex items-center gap-2 text-muted">
              <Link2 aria-hidden className="size-4 shrink-0" />
              Each event is cryptographically linked to the previous one.
            </span>
          )}
        </div>
        <Button size="sm" disabled={isFetching} onClick={() => refetch()}>
          <ShieldCheck aria-hidden className="size-4 text-muted" />
          {isFetching ? "Verifying…" : data ? "Verify again" : "Verify"}
        </Button>
      </div>
      {data?.fault && (
        <Note tone="danger">
          <strong>{data.fault.message}</strong> Keep the database as is and ask your operator for
          the worker log.{" "}
          {data.fault.event_id && (
            <button
              type="button"
              className="underline"
              onClick={() => onOpen(data.fault?.event_id ?? "")}
            >
              Open the event
            </button>
          )}
        </Note>
      )}
      {error && <Note tone="warning">Couldn't verify the audit log: {error.message}</Note>}
    </section>
  );
}

function Verdict({
  verification: { fault, verified_through, checkpoint, events, as_of },
}: {
  verification: ChainVerification;
}) {
  if (fault) {
    return (
      <>
        <Badge tone="danger" icon={Link2Off}>
          Audit log broken at event {fault.seq}
        </Badge>
        <span className="text-muted">
          {verified_through
            ? `Verified up to event ${verified_through.seq}.`
            : "No earlier event could be verified."}
        </span>
      </>
    );
  }
  return (
    <>
      <Badge tone="good" icon={ShieldCheck}>
        Audit log intact: {events.toLocaleString("en")} of {pluralize(events, "event")} verified
      </Badge>
      <span className="text-muted tabular-nums">
        Checked at <Time iso={as_of} />
        {checkpoint && (
          <>
            , signed up to event {checkpoint.seq} at <Time iso={checkpoint.at} />
          </>
        )}
      </span>
    </>
  );
}
