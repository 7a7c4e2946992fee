"use client";

import { useSyncExternalStore } from "react";

const nothing = () => () => {};

/** A keyboard shortcut, labelled for this platform. */
export function Keys({ keys }: { keys: readonly string[] }) {
  const apple = useSyncExternalStore(
    nothing,
    () => /Mac|iP/.test(navigator.platform),
    () => false,
  );
  return (
    <span aria-hidden className="inline-flex shrink-0 gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-canvas px-1 font-sans text-xs text-muted"
        >
          {apple ? key : key.replace("⌘", "Ctrl ")}
        </kbd>
      ))}
    </span>
  );
}
