"use client";

import { ArrowLeftRight } from "lucide-react";
import type { ReactNode } from "react";
import { usePreferences } from "#components/shell/preferences-provider.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { JsonView } from "#components/ui/json-view.tsx";
import { formatMomentInFull } from "#components/ui/moment.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { changesOf, factsOf } from "./changes.ts";
import { EventChanges } from "./event-changes.tsx";
import { Target } from "./event-table.tsx";
import type { EventSearch } from "./search.ts";
import { actionOf, CREDENTIAL_WORDS, whoOf } from "./words.ts";

type Props = { tenantId: string; event: SecurityEvent; onFilter: (filter: Partial<EventSearch>) => void };

export function EventDetails({ tenantId, event, onFilter }: Props) {
  const { timeZone } = usePreferences();
  const changes = changesOf(event.details);
  const facts = factsOf(event.details);
  return (
    <div className="flex flex-col gap-5 px-6 pb-8">
      <header className="flex flex-col items-start gap-2">
        <h2 className="text-lg font-semibold tracking-tight wrap-break-word">{actionOf(event)}</h2>
        {event.cross_tenant && (
          <Badge tone="warning" icon={ArrowLeftRight}>
            Cross-tenant
          </Badge>
        )}
      </header>

      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-2 text-sm">
        <Entry name="Time">
          <time dateTime={event.at}>{formatMomentInFull(event.at, timeZone)}</time>
        </Entry>
        <Entry name="Who">
          {whoOf(event)}{" "}
          <Button variant="ghost" size="sm" className="-my-1.5" onClick={() => onFilter({ actor: event.actor })}>
            Show all of theirs
          </Button>
        </Entry>
        {event.actor_subject !== null && (
          <Entry name="Subject">
            <code className="font-mono text-xs wrap-anywhere">{event.actor_subject}</code>
            {event.actor_issuer && <> at {event.actor_issuer}</>}
          </Entry>
        )}
        <Entry name="Credential">{CREDENTIAL_WORDS[event.credential]}</Entry>
        {event.cross_tenant && <Entry name="Tenants">{tenantsOf(event, tenantId)}</Entry>}
        {event.reason && <Entry name="Reason">{event.reason}</Entry>}
        {event.target && (
          <Entry name="To what">
            <Target tenantId={tenantId} target={event.target} />{" "}
            <Button variant="ghost" size="sm" className="-my-1.5" onClick={() => onFilter({ target: event.target })}>
              Show all about it
            </Button>
          </Entry>
        )}
        {event.operation && (
          <Entry name="Operation">
            <code className="font-mono text-xs">{event.operation}</code>
          </Entry>
        )}
        {event.address && (
          <Entry name="From">
            <code className="font-mono text-xs">{event.address}</code>
          </Entry>
        )}
        {event.request_id && <Copied name="Request" value={event.request_id} label="Copy the request id" />}
      </dl>

      {changes.length > 0 && <EventChanges changes={changes} />}
      {Object.keys(facts).length > 0 && (
        <section className="flex flex-col gap-2">
          <h3 className="text-sm font-semibold">Details</h3>
          <JsonView label="Details of the event" value={facts} />
        </section>
      )}

      <Disclosure title="Its place in the chain">
        <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-2 text-sm">
          <Entry name="Number">{event.seq}</Entry>
          <Copied name="Event" value={event.id} label="Copy the event's id" />
          <Copied name="Hash" value={event.hash} label="Copy the hash" />
          {event.prev_hash ? <Copied name="Hash before it" value={event.prev_hash} label="Copy the hash before it" /> : null}
        </dl>
      </Disclosure>
    </div>
  );
}

function tenantsOf({ home_tenant_id: home, target, credential }: SecurityEvent, tenantId: string): string {
  if (home) return `A credential of ${home}, used for ${tenantId}`;
  if (target?.startsWith("tenant:")) return `A credential of ${tenantId}, used for ${target.slice("tenant:".length)}`;
  return credential === "service_role" ? `A key for every tenant, used for ${tenantId}` : `Another tenant was named than ${tenantId}`;
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-break-word">{children}</dd>
    </>
  );
}

function Copied({ name, value, label }: { name: string; value: string; label: string }) {
  return (
    <Entry name={name}>
      <span className="-my-1.5 flex items-center">
        <code className="truncate font-mono text-xs">{value}</code>
        <CopyButton text={value} label={label} />
      </span>
    </Entry>
  );
}
