"use client";

import { useEffect, useLayoutEffect, useRef } from "react";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";

/** Where a key types text or moves within a widget. */
const TAKES_KEYS = "input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable], [role=menu], dialog:modal";
/** Where Enter and Space press what has the focus. */
const PRESSED = "button, a, summary, [role=menuitem]";

export type Key = readonly [key: string, act: () => unknown];

/** Single keys of a page. With them switched off they work in the lists alone. */
export function useKeys(keys: readonly Key[]): void {
  const { singleKeys } = usePreferences();
  const latest = useRef(keys);
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || event.metaKey || event.ctrlKey || event.altKey) return;
      const target = event.target as Element;
      const inList = target.closest?.("[data-pane]") !== null;
      if (!singleKeys && !inList) return;
      if (target.closest?.(TAKES_KEYS) || document.querySelector("dialog:modal")) return;
      if ((event.key === "Enter" || event.key === " ") && target.closest?.(PRESSED)) return;
      const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const act = latest.current.find(([key]) => key === pressed)?.[1];
      if (!act) return;
      event.preventDefault();
      act();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [singleKeys]);
}
