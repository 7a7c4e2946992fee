"use client";

import { useQuery } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ReasonDialog } from "#components/kit/reason-dialog.tsx";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { toast } from "#components/ui/toast.ts";
import type { LineEvent } from "#lib/lines/contract.ts";
import { includeLineContract } from "#lib/matching/lines/contract.ts";
import { lineHistory } from "./queries.ts";
import { useReloadAfterUndo } from "./use-reload-after-undo.ts";

const REASON_MAX = 900;

/** The reconciliations from which the line is excluded, who did it, and an action to undo it. */
export function LineExclusions({ lineId }: { lineId: string }) {
  const { data } = useQuery(lineHistory(useTenantId(), lineId));
  return exclusionsOf(data?.items ?? []).map((event) => (
    <Exclusion key={event.reconciliation_id} lineId={lineId} event={event} />
  ));
}

/** From the events, oldest first, the exclusions in force. */
function exclusionsOf(events: readonly LineEvent[]): LineEvent[] {
  const holding = new Map<string | null, LineEvent>();
  for (const event of events) {
    if (event.type === "excluded") holding.set(event.reconciliation_id, event);
    if (event.type === "included") holding.delete(event.reconciliation_id);
  }
  return [...holding.values()];
}

function Exclusion({ lineId, event }: { lineId: string; event: LineEvent }) {
  const tenant = useTenantId();
  const may = useIsAllowed(includeLineContract.access);
  const [isConfirming, setConfirming] = useState(false);
  const { actor, note, reconciliation_id } = event;
  return (
    <Note tone="info">
      <p>
        Excluded from the{" "}
        <Link
          href={`/${tenant}/reconciliations/${reconciliation_id}`}
          className="underline underline-offset-2"
        >
          reconciliation
        </Link>
        {actor && ` by ${personName(actor)}`}
        {note && `: ${note}`}
      </p>
      {may && (
        <Button size="sm" className="mt-2" onClick={() => setConfirming(true)}>
          <Undo2 aria-hidden className="size-4 text-muted" />
          Include again
        </Button>
      )}
      {isConfirming && (
        <IncludeDialog
          lineId={lineId}
          period={reconciliation_id}
          onClose={() => setConfirming(false)}
        />
      )}
    </Note>
  );
}

function IncludeDialog({
  lineId,
  period,
  onClose,
}: {
  lineId: string;
  period: string | null;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const reloadAfterUndo = useReloadAfterUndo();
  const body = { reconciliation_id: period ?? undefined };
  const call = { tenant, params: { id: lineId } };
  return (
    <ReasonDialog
      title="Include this line again?"
      description="It becomes open in the reconciliation that it was excluded from."
      hint="Recorded in the audit log."
      maxLength={REASON_MAX}
      start="Include line"
      pending="Including…"
      send={(reason, idempotencyKey) =>
        callApi(includeLineContract, { ...call, body: { ...body, reason }, idempotencyKey })
      }
      onDone={() => {
        reloadAfterUndo();
        toast("Line included again");
      }}
      onClose={onClose}
    />
  );
}
