"use client";

import { RefreshCw, TriangleAlert } from "lucide-react";
import { daysUntil, formatRemaining } from "#components/ui/format-duration.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Day } from "#components/ui/time.tsx";
import type { ApiKey } from "#lib/api-keys/contract.ts";

const SOON_DAYS = 14;

/** When a key expires, and what to do about it. */
export function Expiry({ apiKey, asOf }: { apiKey: ApiKey; asOf: string }) {
  const { status, expires_at, grace_expires_at, revoked_at } = apiKey;
  if (status === "revoked")
    return <span className="text-muted">{revoked_at && <Day iso={revoked_at} />}</span>;
  if (status === "rotating" && grace_expires_at)
    return <Left until={grace_expires_at} asOf={asOf} />;
  if (expires_at === null) {
    return (
      <span className="flex flex-wrap gap-x-2">
        <span className="text-muted">Never</span> <RotateHint apiKey={apiKey} asOf={asOf} />
      </span>
    );
  }
  return (
    <span className="flex flex-wrap gap-x-2">
      <Day iso={expires_at} /> <Soon apiKey={apiKey} asOf={asOf} expiresAt={expires_at} />
    </span>
  );
}

function Soon({ apiKey, asOf, expiresAt }: { apiKey: ApiKey; asOf: string; expiresAt: string }) {
  const days = useServerTime((now) => daysUntil(expiresAt, now), asOf);
  if (apiKey.status !== "active") return null;
  if (days > SOON_DAYS) return <RotateHint apiKey={apiKey} asOf={asOf} />;
  return (
    <span
      data-tone="warning"
      className="flex items-center gap-1 text-xs font-medium whitespace-nowrap text-tone-ink"
    >
      <TriangleAlert aria-hidden className="size-3.5" />
      Expires soon: {pluralize(days, "day")}
    </span>
  );
}

function RotateHint({ apiKey, asOf }: { apiKey: ApiKey; asOf: string }) {
  const due = useServerTime(
    (now) => (now >= Date.parse(apiKey.rotation_recommended_at) ? 1 : 0),
    asOf,
  );
  if (due === 0) return null;
  return (
    <span
      data-tone="warning"
      className="flex items-center gap-1 text-xs font-medium whitespace-nowrap text-tone-ink"
    >
      <RefreshCw aria-hidden className="size-3.5" />
      Over 90 days old: rotate
    </span>
  );
}

export function GraceCountdown(grace: { until: string; asOf: string }) {
  return (
    <>
      Expires <Left {...grace} />
    </>
  );
}

/** A countdown. Not a live region: it changes each second. */
function Left({ until, asOf }: { until: string; asOf: string }) {
  const left = useServerTime((now) => formatRemaining(until, now), asOf);
  return <span className="tabular-nums">in {left}</span>;
}
