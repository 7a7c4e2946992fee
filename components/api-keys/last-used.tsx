"use client";

import { RelativeTime } from "#components/ui/relative-time.tsx";
import { useServerTime } from "#components/ui/server-clock.ts";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { awaitsFirstCall } from "./first-call.ts";

export function LastUsed({ apiKey, asOf }: { apiKey: ApiKey; asOf: string }) {
  const waits = useServerTime((now) => (awaitsFirstCall(apiKey, now) ? 1 : 0), asOf);
  if (apiKey.last_used_at) return <RelativeTime iso={apiKey.last_used_at} asOf={asOf} />;
  if (waits === 0) return <span className="text-muted">Never</span>;
  return (
    <span className="flex items-center gap-2 text-accent-text">
      <span aria-hidden className="size-2 shrink-0 animate-pulse rounded-full bg-accent-text" />
      Waiting for the first call…
    </span>
  );
}
