"use client";

import {
  BookUp,
  FileText,
  Link2,
  ListChecks,
  ListOrdered,
  LockKeyhole,
  LockKeyholeOpen,
} from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { closeReconciliationContract } from "#lib/matching/periods/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { CLOSING_ID } from "./closing.tsx";
import { PREPARING_ID } from "./preparing.tsx";

const CloseDialog = dynamic(() => import("./close-dialog.tsx").then((part) => part.CloseDialog), {
  ssr: false,
});
const ReopenDialog = dynamic(
  () => import("./reopen-dialog.tsx").then((part) => part.ReopenDialog),
  { ssr: false },
);

/** The actions on a period of two sources. */
export function PeriodActions({ reconciliation }: { reconciliation: Reconciliation }) {
  const tenant = useTenantId();
  const mayClose = useIsAllowed(closeReconciliationContract.access);
  const [isReopening, setReopening] = useState(false);
  const stop = () => setReopening(false);
  const closed = reconciliation.closed_at !== null;
  const waitsFor = reconciliation.preparing
    ? PREPARING_ID
    : reconciliation.closing
      ? CLOSING_ID
      : undefined;
  const settable = mayClose && reconciliation.status !== "archived";
  return (
    <>
      <PrefetchLink
        href={`/${tenant}/reconciliations/${reconciliation.id}/statement`}
        className={buttonClass()}
      >
        <FileText aria-hidden className="size-4 text-muted" />
        Statement
      </PrefetchLink>
      <PrefetchLink
        href={`/${tenant}/reconciliations/${reconciliation.id}/matches?state=confirmed`}
        className={buttonClass()}
      >
        <Link2 aria-hidden className="size-4 text-muted" />
        Matches
      </PrefetchLink>
      <PrefetchLink
        href={`/${tenant}/reconciliations/${reconciliation.id}/rules`}
        className={buttonClass()}
      >
        <ListOrdered aria-hidden className="size-4 text-muted" />
        Rules
      </PrefetchLink>
      <PrefetchLink
        href={`/${tenant}/reconciliations/${reconciliation.id}/entries`}
        className={buttonClass()}
      >
        <BookUp aria-hidden className="size-4 text-muted" />
        Entries
      </PrefetchLink>
      {settable && (
        <Button
          disabled={waitsFor !== undefined}
          aria-describedby={waitsFor}
          onClick={() => setReopening(true)}
        >
          {closed ? (
            <LockKeyholeOpen aria-hidden className="size-4 text-muted" />
          ) : (
            <LockKeyhole aria-hidden className="size-4 text-muted" />
          )}
          {closed ? "Reopen" : reconciliation.closing ? "Closing…" : "Close period"}
        </Button>
      )}
      {!closed && !reconciliation.closing && <WorkbenchLink reconciliation={reconciliation} />}
      {isReopening &&
        (closed ? (
          <ReopenDialog reconciliation={reconciliation} onClose={stop} />
        ) : (
          <CloseDialog reconciliation={reconciliation} onClose={stop} />
        ))}
    </>
  );
}

/** The link to the workbench. */
function WorkbenchLink({
  reconciliation: { id, unmatched_count },
}: {
  reconciliation: Reconciliation;
}) {
  const tenant = useTenantId();
  return (
    <PrefetchLink
      href={`/${tenant}/reconciliations/${id}/workbench`}
      className={classes(buttonClass({ variant: "primary" }), "max-sm:order-first max-sm:w-full")}
    >
      <ListChecks aria-hidden className="size-4" />
      Workbench
      {unmatched_count > 0 && (
        <span className="tabular-nums">· {unmatched_count.toLocaleString("en")}</span>
      )}
    </PrefetchLink>
  );
}
