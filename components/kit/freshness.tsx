"use client";

import { onlineManager } from "@tanstack/react-query";
import { CloudOff, Radio } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useServerTime } from "#components/ui/server-clock.ts";

/** How fresh the data is. Not a live region: it changes each second. */
export function Freshness({ asOf, failing }: { asOf: string; failing: boolean }) {
  const online = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
    () => true,
  );
  const seconds = useServerTime(
    (now) => Math.max(0, Math.floor((now - Date.parse(asOf)) / 1000)),
    asOf,
  );
  const Icon = online && !failing ? Radio : CloudOff;
  return (
    <p className="flex items-center gap-1.5 text-sm text-muted tabular-nums">
      <Icon
        aria-hidden
        className={online && !failing ? "size-4 text-accent-text" : "size-4 text-danger-text"}
      />
      <span>Updated {seconds < 1 ? "just now" : `${ago(seconds)} ago`}</span>
      <span role="status" className="font-medium text-danger-text empty:hidden">
        {online && failing && "Couldn't refresh, retrying…"}
      </span>
    </p>
  );
}

function ago(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
