"use client";

import { Ban, Pencil, RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { PanelBody, PanelHead, PanelTitle } from "#components/kit/panel-parts.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { EditKeyDialog } from "./edit-key-dialog.tsx";
import { Expiry } from "./expiry.tsx";
import { groupedScopes, resourceLabel, scopeOf } from "./labels.ts";
import { LastUsed } from "./last-used.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";
import { Rotation } from "./rotation.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { Usage } from "./usage.tsx";

type OpenDialog = "edit" | "rotate" | "revoke";

type Props = { apiKey: ApiKey; address: string | null; onOpen: (id: string) => void };

export function KeyDetails({ apiKey, address, onOpen }: Props) {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { status } = apiKey;
  const isUsable = status === "active" || status === "rotating";
  const asOf = apiKey.last_used_at ?? apiKey.created_at;
  const close = () => setDialog(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with the status the button that had the focus may go
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [status]);

  return (
    <PanelBody>
      <PanelHead>
        <StatusBadge status={status} />
        <PanelTitle ref={heading}>{apiKey.name}</PanelTitle>
        {apiKey.description && (
          <p className="max-w-full text-muted wrap-break-word">{apiKey.description}</p>
        )}
      </PanelHead>

      {isUsable && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => setDialog("edit")}>
            <Pencil aria-hidden className="size-4 text-muted" />
            Edit
          </Button>
          {status === "active" && (
            <Button size="sm" onClick={() => setDialog("rotate")}>
              <RefreshCw aria-hidden className="size-4 text-muted" />
              Rotate
            </Button>
          )}
          <Button size="sm" onClick={() => setDialog("revoke")}>
            <span className="flex items-center gap-1.5 text-danger-text">
              <Ban aria-hidden className="size-4" />
              Revoke
            </span>
          </Button>
        </div>
      )}

      {status === "revoked" && apiKey.revoked_at && (
        <Note tone="danger">
          Revoked <Time iso={apiKey.revoked_at} />
          {apiKey.revoked_by && <> by {personName(apiKey.revoked_by)}</>}
          {apiKey.revoke_reason && <>: {apiKey.revoke_reason}</>}
        </Note>
      )}
      {status === "expired" && (
        <Note tone="warning">
          This key has expired and is refused. Create a new key for its callers.
        </Note>
      )}
      <Rotation apiKey={apiKey} onOpen={onOpen} />

      <Facts ruled>
        <IdentifierFact name="Key ID" value={apiKey.key_id} />
        <IdentifierFact name="Record ID" value={apiKey.id} />
        <Fact name="Scopes">
          <Scopes apiKey={apiKey} />
        </Fact>
        <Fact name="Allowed from">
          {apiKey.ip_allowlist.length === 0 ? (
            "Any address"
          ) : (
            <ul>
              {apiKey.ip_allowlist.map((range) => (
                <li key={range} className="font-mono text-xs leading-5 break-all">
                  {range}
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {status !== "revoked" && (
          <Fact name="Expires">
            <Expiry apiKey={apiKey} asOf={asOf} />
          </Fact>
        )}
        <Fact name="Last used">
          <LastUsed apiKey={apiKey} asOf={asOf} />
          {apiKey.last_used_ip && (
            <>
              {" "}
              from <code className="font-mono text-xs">{apiKey.last_used_ip}</code>
            </>
          )}
        </Fact>
        <Fact name="Calls">
          <span className="tabular-nums">{apiKey.request_count.toLocaleString("en")}</span> accepted
          since it was created
        </Fact>
        <Fact name="Created">
          <ActorName iso={apiKey.created_at} actor={apiKey.created_by} />
        </Fact>
      </Facts>

      <Usage keyId={apiKey.id} />

      {dialog === "edit" && <EditKeyDialog apiKey={apiKey} address={address} onClose={close} />}
      {dialog === "rotate" && <RotateKeyDialog apiKey={apiKey} onClose={close} />}
      {dialog === "revoke" && <RevokeKeyDialog apiKey={apiKey} onClose={close} />}
    </PanelBody>
  );
}

function Scopes({ apiKey: { scopes, unused_scopes } }: { apiKey: ApiKey }) {
  return (
    <ul className="flex flex-col gap-0.5">
      {groupedScopes(scopes).map(({ resource, actions }) => (
        <li key={resource}>
          <span className="inline-block first-letter:uppercase">{resourceLabel(resource)}:</span>{" "}
          {actions.map((action, index) => (
            <span key={action}>
              {index > 0 && ", "}
              {action}
              {unused_scopes.includes(scopeOf(action, resource)) && (
                <span data-tone="warning" className="text-xs text-tone-ink">
                  {" "}
                  (unused for 30 days)
                </span>
              )}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
