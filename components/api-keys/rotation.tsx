"use client";

import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { ApiKey, ApiKeyUsage } from "#lib/api-keys/contract.ts";
import { GraceCountdown } from "./expiry.tsx";
import { maskedId } from "./labels.ts";
import { LastUsed } from "./last-used.tsx";
import { apiKeyById, apiKeyUsage } from "./queries.ts";

type Props = { apiKey: ApiKey; onOpen: (id: string) => void };

/** Both keys of a running rotation, as shown on either one. */
export function Rotation({ apiKey, onOpen }: Props) {
  const tenantId = useTenantId();
  const otherId = apiKey.status === "rotating" ? apiKey.rotated_to : apiKey.rotated_from;
  const { data: other } = useQuery({
    ...apiKeyById(tenantId, otherId ?? ""),
    enabled: otherId !== null,
  });
  const [old, next] = apiKey.status === "rotating" ? [apiKey, other] : [other, apiKey];
  if (!old || !next || old.status !== "rotating" || !old.grace_expires_at) return null;
  const asOf = next.created_at;
  return (
    <section aria-label="Rotation" className="rounded-lg border border-line">
      <div className="grid divide-y divide-line sm:grid-cols-2 sm:divide-x sm:divide-y-0">
        <Side title="Old key" apiKey={old} other={apiKey} onOpen={onOpen}>
          <p data-tone="warning" className="font-semibold text-tone-ink">
            <GraceCountdown until={old.grace_expires_at} asOf={asOf} />
          </p>
        </Side>
        <Side title="New key" apiKey={next} other={apiKey} onOpen={onOpen}>
          <LastUsed apiKey={next} asOf={asOf} />
        </Side>
      </div>
      <OldCallers oldId={old.id} />
    </section>
  );
}

function Side({
  title,
  apiKey,
  other,
  onOpen,
  children,
}: {
  title: string;
  apiKey: ApiKey;
  other: ApiKey;
  onOpen: (id: string) => void;
  children: React.ReactNode;
}) {
  return (
    <div className="flex flex-col items-start gap-1 p-3 text-sm">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      {apiKey.id === other.id ? (
        <p>
          <code className="font-mono text-xs">{maskedId(apiKey.key_id)}</code>{" "}
          <span className="text-muted">(this one)</span>
        </p>
      ) : (
        <button
          type="button"
          onClick={() => onOpen(apiKey.id)}
          className="min-h-6 rounded-sm text-accent-text underline underline-offset-2"
        >
          <span className="sr-only">Open the {title.toLowerCase()} </span>
          <code className="font-mono text-xs">{maskedId(apiKey.key_id)}</code>
        </button>
      )}
      {children}
    </div>
  );
}

/** The callers that still use the old key. */
function OldCallers({ oldId }: { oldId: string }) {
  const { data } = useQuery(apiKeyUsage(useTenantId(), oldId));
  if (!data) return null;
  const callers = data.addresses.filter(({ in_grace }) => in_grace > 0);
  return (
    <div className="border-t border-line p-3 text-sm">
      {callers.length === 0 ? (
        <p className="text-muted">The old key hasn't been used since the rotation.</p>
      ) : (
        <table className="w-full">
          <caption className="pb-1 text-left text-xs font-medium text-muted">
            Still using the old key
          </caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Calls since the rotation</th>
              <th scope="col">Last seen</th>
            </tr>
          </thead>
          <tbody>
            {callers.map((caller) => (
              <Caller key={caller.address} {...caller} asOf={data.as_of} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Caller({
  address,
  in_grace,
  last_seen_at,
  asOf,
}: ApiKeyUsage["addresses"][number] & { asOf: string }) {
  return (
    <tr>
      <th scope="row" className="py-0.5 pr-3 text-left font-mono text-xs font-normal break-all">
        {address}
      </th>
      <td className="py-0.5 pr-3 text-right whitespace-nowrap tabular-nums">
        {pluralize(in_grace, "call")}
      </td>
      <td className="py-0.5 text-right whitespace-nowrap text-muted">
        <RelativeTime iso={last_seen_at} asOf={asOf} />
      </td>
    </tr>
  );
}
