"use client";

import { ShieldCheck } from "lucide-react";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { HealthBadge } from "./health-badge.tsx";
import type { Act } from "./webhook-actions.tsx";

export function WebhookFacts({ webhook, onAct }: { webhook: Webhook; onAct: (act: Act) => void }) {
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
          <Button size="sm" onClick={() => onAct("verify")}>
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
