"use client";

import Link from "next/link";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { fieldTime, momentOfField } from "#components/ui/field-time.ts";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Exception } from "#lib/exceptions/contract.ts";
import { listRequestsContract } from "#lib/request-log/contract.ts";
import { InPlace } from "../board/in-place.tsx";
import { formatMinutes } from "../deadline.ts";
import { reasonLabel } from "../labels.tsx";
import { CalendarName, ReconciliationName } from "../names.tsx";
import type { ExceptionActions } from "../use-exception-actions.ts";

/** The facts of an exception. Its deadline can be changed in place. */
export function ExceptionFacts({
  exception,
  change,
}: {
  exception: Exception;
  change: ExceptionActions["change"];
}) {
  const tenantId = useTenantId();
  const { timeZone } = usePreferences();
  const isOpen = exception.closed_at === null;
  const readsRequests = useIsAllowed(listRequestsContract.access);
  return (
    <Facts ruled>
      {exception.resolution && <Fact name="Resolution">{exception.resolution}</Fact>}
      <Fact name={exception.paused_at ? "Due if resumed now" : "Due"}>
        {isOpen && exception.paused_at === null ? (
          <InPlace
            label="Deadline"
            time="17:00"
            value={fieldTime(exception.due_at, timeZone)}
            onSave={(time) => change({ due_at: momentOfField(time, timeZone) }, "Deadline moved")}
          >
            <Time iso={exception.due_at} />
          </InPlace>
        ) : (
          <Time iso={exception.due_at} />
        )}
        {exception.paused_at && (
          <span className="block text-xs text-muted">Resume it to move its deadline.</span>
        )}
      </Fact>
      {exception.business_minutes_remaining !== null && (
        <Fact name="Business time left">
          {exception.business_minutes_remaining > 0
            ? formatMinutes(exception.business_minutes_remaining)
            : "None"}
        </Fact>
      )}
      {exception.calendar_id && (
        <Fact name="Calendar">
          <CalendarName id={exception.calendar_id} />
        </Fact>
      )}
      {exception.paused_at && (
        <Fact name="Paused">
          <Time iso={exception.paused_at} />
        </Fact>
      )}
      {exception.pause_reason && <Fact name="Pause reason">{exception.pause_reason}</Fact>}
      {exception.paused_until && (
        <Fact name="Resumes">
          <Time iso={exception.paused_until} />
        </Fact>
      )}
      {exception.amount_minor !== null && exception.currency !== null && (
        <Fact name="Money at risk">{formatMoney(exception.amount_minor, exception.currency)}</Fact>
      )}
      {exception.reason_code && <Fact name="Reason">{reasonLabel(exception.reason_code)}</Fact>}
      {exception.reconciliation_id && (
        <Fact name="Reconciliation">
          <PrefetchLink
            href={`/${tenantId}/reconciliations/${exception.reconciliation_id}`}
            className="block truncate text-accent-text hover:underline"
          >
            <ReconciliationName id={exception.reconciliation_id} />
          </PrefetchLink>
        </Fact>
      )}
      <IdentifierFact name="ID" value={exception.id} copy="Copy the ID" />
      {readsRequests && (
        <Fact name="API requests">
          <Link
            href={`/${tenantId}/requests?resource=${exception.id}&period=14d`}
            prefetch={false}
            className="text-accent-text hover:underline"
          >
            Show all
          </Link>
        </Fact>
      )}
      <Fact name="Created">
        <ActorName iso={exception.created_at} actor={exception.created_by} />
      </Fact>
      {exception.closed_at && (
        <Fact name="Closed">
          <Time iso={exception.closed_at} />
        </Fact>
      )}
    </Facts>
  );
}
