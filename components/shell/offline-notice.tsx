"use client";

import { CloudOff } from "lucide-react";
import { useSyncExternalStore } from "react";

/** Shown while the browser is offline. Queries pause and resume automatically. */
export function OfflineNotice() {
  const offline = useSyncExternalStore(
    subscribe,
    () => !navigator.onLine,
    () => false,
  );
  return (
    <div role="status" className="pointer-events-none fixed inset-x-4 bottom-4 z-40 flex justify-center empty:hidden">
      {offline && (
        <p
          data-tone="warning"
          className="flex items-center gap-2 rounded-lg border border-tone-line bg-tone-soft px-3 py-2 text-sm font-medium text-tone-ink shadow-overlay"
        >
          <CloudOff aria-hidden className="size-4 shrink-0" />
          You're offline. Showing the last update; reconnecting…
        </p>
      )}
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}
