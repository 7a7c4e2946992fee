"use client";

import { ArrowLeftRight } from "lucide-react";
import Link from "next/link";
import { DataFields } from "#components/kit/data-fields.tsx";
import { CodeFact, Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelBody, PanelHead, PanelSection, PanelTitle } from "#components/kit/panel-parts.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { formatMomentInFull } from "#components/ui/moment.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { changesOf, factsOf } from "./changes.ts";
import { EventChanges } from "./event-changes.tsx";
import { CREDENTIAL_LABELS, whoOf } from "./labels.ts";
import type { EventSearch } from "./search.ts";
import { sentenceOf } from "./sentence.ts";
import { Target } from "./target.tsx";

type Props = { event: SecurityEvent; onFilter: (filter: Partial<EventSearch>) => void };

export function EventDetails({ event, onFilter }: Props) {
  const tenantId = useTenantId();
  const { timeZone } = usePreferences();
  const changes = changesOf(event.details);
  const facts = factsOf(event.details);
  return (
    <PanelBody>
      <PanelHead>
        <PanelTitle>{sentenceOf(event)}</PanelTitle>
        {event.cross_tenant && (
          <Badge tone="warning" icon={ArrowLeftRight}>
            Cross-tenant
          </Badge>
        )}
      </PanelHead>

      <Facts>
        <Fact name="Time">
          <time dateTime={event.at}>{formatMomentInFull(event.at, timeZone)}</time>
        </Fact>
        <Fact name="Actor">
          {whoOf(event)}{" "}
          <Button
            variant="ghost"
            size="sm"
            className="-my-1.5"
            onClick={() => onFilter({ actor: event.actor })}
          >
            Show all by this actor
          </Button>
        </Fact>
        {event.actor_subject !== null && (
          <Fact name="Subject">
            <code className="font-mono text-xs wrap-anywhere">{event.actor_subject}</code>
            {event.actor_issuer && <> at {event.actor_issuer}</>}
          </Fact>
        )}
        <Fact name="Credential">{CREDENTIAL_LABELS[event.credential]}</Fact>
        {event.cross_tenant && <Fact name="Tenants">{tenantsOf(event, tenantId)}</Fact>}
        {event.reason && <Fact name="Reason">{event.reason}</Fact>}
        {event.target && (
          <Fact name="Target">
            <Target event={event} target={event.target} />{" "}
            <Button
              variant="ghost"
              size="sm"
              className="-my-1.5"
              onClick={() => onFilter({ target: event.target })}
            >
              Show all for this target
            </Button>
          </Fact>
        )}
        {event.operation && <CodeFact name="Operation" value={event.operation} />}
        {event.address && <CodeFact name="From" value={event.address} />}
        {event.request_id && (
          <Fact name="Request">
            <Link
              href={`/${tenantId}/requests?request=${event.request_id}`}
              prefetch={false}
              className="text-accent-text hover:underline"
            >
              <code className="font-mono text-xs break-all">{event.request_id}</code>
            </Link>
          </Fact>
        )}
      </Facts>

      {changes.length > 0 && <EventChanges changes={changes} />}
      {Object.keys(facts).length > 0 && (
        <PanelSection title="Details">
          <DataFields label="Event details" value={facts} />
        </PanelSection>
      )}

      <Disclosure title="Audit log entry">
        <Facts>
          <Fact name="Number">{event.seq}</Fact>
          <IdentifierFact name="Event" value={event.id} copy="Copy the event ID" />
          <IdentifierFact name="Hash" value={event.hash} />
          {event.prev_hash && <IdentifierFact name="Previous hash" value={event.prev_hash} />}
        </Facts>
      </Disclosure>
    </PanelBody>
  );
}

function tenantsOf(
  { home_tenant_id: home, target, credential }: SecurityEvent,
  tenantId: string,
): string {
  if (home) return `A credential of ${home}, used for ${tenantId}`;
  if (target?.startsWith("tenant:"))
    return `A credential of ${tenantId}, used for ${target.slice("tenant:".length)}`;
  return credential === "service_role"
    ? `A service-role key (all tenants), used for ${tenantId}`
    : `The request named a tenant other than ${tenantId}`;
}
