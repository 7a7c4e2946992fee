"use client";

import { CloudOff } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useSyncExternalStore } from "react";
import { Button } from "#components/ui/button.tsx";
import { pendingNavigation } from "#components/ui/pending-navigation.ts";
import { useStore } from "#components/ui/store.ts";

/**
 * Shown while the browser is offline. Queries pause and resume automatically; a page requested
 * during that time opens once the network is back.
 */
export function OfflineNotice() {
  const router = useRouter();
  const pendingPath = useStore(pendingNavigation, null);
  const offline = useSyncExternalStore(
    subscribe,
    () => !navigator.onLine,
    () => false,
  );

  useEffect(() => {
    document.addEventListener("click", keepForLater, true);
    return () => document.removeEventListener("click", keepForLater, true);
  }, []);

  useEffect(() => {
    if (offline || pendingPath === null) return;
    pendingNavigation.set(null);
    router.push(pendingPath);
  }, [offline, pendingPath, router]);

  return (
    <div
      role="status"
      className="above-pinned pointer-events-none fixed inset-x-4 bottom-4 z-40 flex justify-center empty:hidden"
    >
      {offline && (
        <p
          data-tone="warning"
          className="flex items-center gap-2 rounded-lg border border-tone-line bg-tone-soft px-3 py-2 text-sm font-medium text-tone-ink shadow-overlay"
        >
          <CloudOff aria-hidden className="size-4 shrink-0" />
          {pendingPath === null ? (
            "You're offline. Showing the last update; reconnecting…"
          ) : (
            <>
              You're offline. The page opens once you're back online.
              <Button
                size="sm"
                className="pointer-events-auto -my-1"
                onClick={() => pendingNavigation.set(null)}
              >
                Stay here
              </Button>
            </>
          )}
        </p>
      )}
    </div>
  );
}

/**
 * Prevents links to other pages from being followed without a network. Links within the page still
 * work.
 */
function keepForLater(event: MouseEvent): void {
  if (
    navigator.onLine ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  const link = (event.target as Element).closest?.<HTMLAnchorElement>("a[href]");
  if (
    !link ||
    link.target ||
    link.download ||
    link.origin !== location.origin ||
    link.pathname === location.pathname
  )
    return;
  event.preventDefault();
  event.stopPropagation();
  pendingNavigation.set(link.pathname + link.search + link.hash);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}
