"use client";

import { ShieldCheck } from "lucide-react";
import { Fragment } from "react";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { ResourceName } from "#components/kit/resource-name.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { Time } from "#components/ui/time.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { HealthBadge } from "./health-badge.tsx";
import { describeFilters } from "./options-draft.ts";
import type { WebhookAction } from "./webhook-actions.tsx";

export function WebhookFacts({
  webhook,
  onAction,
}: {
  webhook: Webhook;
  onAction: (act: WebhookAction) => void;
}) {
  return (
    <Facts>
      <Fact name="Health">
        <HealthBadge webhook={webhook} />
      </Fact>
      {webhook.description && <Fact name="Description">{webhook.description}</Fact>}
      <Fact name="URL">
        <span className="-my-1.5 flex items-center">
          <code className="font-mono text-xs break-all">{webhook.url}</code>
          <CopyButton text={webhook.url} label="Copy the URL" />
        </span>
      </Fact>
      <Fact name="Events">
        <ul className="flex flex-wrap gap-1.5">
          {webhook.events.map((kind) => (
            <li
              key={kind}
              className="rounded-sm border border-line bg-canvas px-1.5 font-mono text-xs leading-5"
            >
              {kind}
            </li>
          ))}
        </ul>
      </Fact>
      {Object.keys(webhook.filters).length > 0 && (
        <Fact name="Filters">
          <ul>
            {describeFilters(webhook.filters).map((filter) => (
              <li key={filter}>{filter}</li>
            ))}
            {(["source_ids", "reconciliation_ids"] as const).map((field) => (
              <NamedFilter key={field} ids={webhook.filters[field] ?? []} />
            ))}
          </ul>
        </Fact>
      )}
      {webhook.header_names.length > 0 && (
        <Fact name="Headers">
          <code className="font-mono text-xs">{webhook.header_names.join(", ")}</code>
        </Fact>
      )}
      {webhook.oauth && (
        <Fact name="Token from">
          <code className="font-mono text-xs break-all">{webhook.oauth.token_url}</code>
        </Fact>
      )}
      {webhook.max_per_minute !== null && (
        <Fact name="Limit">
          {pluralize(webhook.max_per_minute, "delivery", "deliveries")} a minute
        </Fact>
      )}
      <Fact name="Secret">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <span>
            {webhook.secret_changed_at ? (
              <>
                Rotated <Time iso={webhook.secret_changed_at} />
              </>
            ) : (
              "Never rotated"
            )}
          </span>
          <Button size="sm" onClick={() => onAction("verify")}>
            <ShieldCheck aria-hidden className="size-4 text-muted" />
            Verify signatures
          </Button>
        </span>
      </Fact>
      <Fact name="Registered">
        <ActorName iso={webhook.created_at} actor={webhook.created_by} />
      </Fact>
      <IdentifierFact name="Identifier" value={webhook.id} />
    </Facts>
  );
}

function NamedFilter({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <li className="wrap-anywhere">
      {ids.map((id, place) => (
        <Fragment key={id}>
          {place > 0 && " or "}
          <ResourceName id={id} />
        </Fragment>
      ))}
    </li>
  );
}
