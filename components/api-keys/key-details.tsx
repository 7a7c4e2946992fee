"use client";

import { Ban, Pencil, RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { assigneeName } from "#components/exceptions/assignee.tsx";
import { Button } from "#components/ui/button.tsx";
import { Fact, IdentifierFact } from "#components/ui/fact.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { EditKeyDialog } from "./edit-key-dialog.tsx";
import { Expiry } from "./expiry.tsx";
import { LastUsed } from "./last-used.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";
import { Rotation } from "./rotation.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { Usage } from "./usage.tsx";
import { groupedScopes, resourceWord, scopeOf } from "./words.ts";

type Act = "edit" | "rotate" | "revoke";

type Props = { tenantId: string; apiKey: ApiKey; address: string | null; onOpen: (id: string) => void };

export function KeyDetails({ tenantId, apiKey, address, onOpen }: Props) {
  const [act, setAct] = useState<Act | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { status } = apiKey;
  const isUsable = status === "active" || status === "rotating";
  const asOf = apiKey.last_used_at ?? apiKey.created_at;
  const close = () => setAct(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with the status the button that had the focus may go
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [status]);

  return (
    <div className="flex flex-col gap-6 px-6 pb-8">
      <div className="flex flex-col items-start gap-2">
        <StatusBadge status={status} />
        <h2 ref={heading} tabIndex={-1} className="max-w-full text-xl font-semibold tracking-tight wrap-break-word outline-none">
          {apiKey.name}
        </h2>
        {apiKey.description && <p className="max-w-full text-muted wrap-break-word">{apiKey.description}</p>}
      </div>

      {isUsable && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => setAct("edit")}>
            <Pencil aria-hidden className="size-4 text-muted" />
            Edit
          </Button>
          {status === "active" && (
            <Button size="sm" onClick={() => setAct("rotate")}>
              <RefreshCw aria-hidden className="size-4 text-muted" />
              Rotate
            </Button>
          )}
          <Button size="sm" onClick={() => setAct("revoke")}>
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
          {apiKey.revoked_by && <> by {assigneeName(apiKey.revoked_by)}</>}
          {apiKey.revoke_reason && <>: {apiKey.revoke_reason}</>}
        </Note>
      )}
      {status === "expired" && <Note tone="warning">It has expired and is refused. Create a new key for its callers.</Note>}
      <Rotation tenantId={tenantId} apiKey={apiKey} onOpen={onOpen} />

      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-2.5 border-t border-line pt-5 text-sm">
        <IdentifierFact name="Key id" value={apiKey.key_id} />
        <IdentifierFact name="Record id" value={apiKey.id} />
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
          <span className="tabular-nums">{apiKey.request_count.toLocaleString("en")}</span>
        </Fact>
        <Fact name="Created">
          <Time iso={apiKey.created_at} /> by {assigneeName(apiKey.created_by)}
        </Fact>
      </dl>

      <Usage tenantId={tenantId} keyId={apiKey.id} />

      {act === "edit" && <EditKeyDialog tenantId={tenantId} apiKey={apiKey} address={address} onClose={close} />}
      {act === "rotate" && <RotateKeyDialog tenantId={tenantId} apiKey={apiKey} onClose={close} />}
      {act === "revoke" && <RevokeKeyDialog tenantId={tenantId} apiKey={apiKey} onClose={close} />}
    </div>
  );
}

function Scopes({ apiKey: { scopes, unused_scopes } }: { apiKey: ApiKey }) {
  return (
    <ul className="flex flex-col gap-0.5">
      {groupedScopes(scopes).map(({ resource, actions }) => (
        <li key={resource}>
          <span className="inline-block first-letter:uppercase">{resourceWord(resource)}:</span>{" "}
          {actions.map((action, index) => (
            <span key={action}>
              {index > 0 && ", "}
              {action}
              {unused_scopes.includes(scopeOf(action, resource)) && (
                <span data-tone="warning" className="text-xs text-tone-ink">
                  {" "}
                  (not used for 30 days)
                </span>
              )}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
