"use client";

import Link from "next/link";
import { CodeFact, Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelBody, PanelHead, PanelTitle } from "#components/kit/panel-parts.tsx";
import { ResourceName } from "#components/kit/resource-name.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Timestamp } from "#components/ui/timestamp.tsx";
import type { LoggedRequestDetail } from "#lib/request-log/contract.ts";
import { Cause } from "./cause.tsx";
import { curlOf } from "./curl.ts";
import { CREDENTIAL_LABELS, formatDuration, pageOf, signOf } from "./labels.ts";
import { MessageView } from "./message-view.tsx";
import type { RequestSearch } from "./search.ts";
import { SentDeliveries } from "./sent-deliveries.tsx";

type Props = { call: LoggedRequestDetail; onFilter: (filter: Partial<RequestSearch>) => void };

export function RequestDetails({ call, onFilter }: Props) {
  const tenant = useTenantId();
  const { icon, tone } = signOf(call.status);
  const { actor, api_key_id: keyId, resource, operation } = call;
  const all = (filter: Partial<RequestSearch>, words: string) => (
    <Button variant="ghost" size="sm" className="-my-1.5" onClick={() => onFilter(filter)}>
      {words}
    </Button>
  );
  return (
    <PanelBody>
      <PanelHead>
        <Badge tone={tone} icon={icon}>
          {call.status}
        </Badge>
        <PanelTitle>
          <span className="font-mono text-base break-all">
            {call.method} {call.path}
          </span>
        </PanelTitle>
      </PanelHead>

      {call.error_code && <Cause call={call} />}

      <Facts ruled>
        <Fact name="Time">
          <Timestamp iso={call.at} />
        </Fact>
        <Fact name="Duration">{formatDuration(call.duration_ms)}</Fact>
        {operation && (
          <Fact name="Operation">
            <code className="font-mono text-xs">{operation}</code> {all({ operation }, "Show all")}
          </Fact>
        )}
        <Fact name="Credential">{CREDENTIAL_LABELS[call.credential]}</Fact>
        {keyId ? (
          <Fact name="API key">
            <IdLink tenant={tenant} id={keyId} /> {all({ api_key_id: keyId }, "Show all")}
          </Fact>
        ) : (
          actor && (
            <Fact name="Caller">
              {actor.replace(/^user:/, "")} {all({ actor }, "Show all")}
            </Fact>
          )
        )}
        {resource && (
          <Fact name="Resource">
            <IdLink tenant={tenant} id={resource} /> {all({ resource }, "Show all")}
          </Fact>
        )}
        {call.query && <CodeFact name="Query" value={call.query} />}
        {call.address && <CodeFact name="From" value={call.address} />}
        <IdentifierFact name="Request" value={call.id} copy="Copy the request ID" />
      </Facts>

      {call.method !== "GET" && call.status < 300 && <SentDeliveries requestId={call.id} />}
      <MessageView title="Response" message={call.response} />
      <MessageView
        title="Request"
        message={call.request}
        action={
          <CopyButton text={() => curlOf(call, window.location.origin)} label="Copy as curl" />
        }
      />
    </PanelBody>
  );
}

function IdLink({ tenant, id }: { tenant: string; id: string }) {
  const href = pageOf(tenant, id);
  if (href === null) return <code className="font-mono text-xs break-all">{id}</code>;
  return (
    <Link
      href={href}
      prefetch={false}
      title={id}
      className="wrap-anywhere text-accent-text hover:underline"
    >
      <ResourceName id={id} />
    </Link>
  );
}
