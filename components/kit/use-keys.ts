"use client";

import { useLayoutEffect, useRef } from "react";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";

/** Elements in which keys type text or move within a widget. */
const TAKES_KEYS =
  "input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable], [role=menu]";
/** Overlays above the page and its panel. */
const OVER = "dialog:modal:not([data-panel]), [role=dialog]:popover-open";
/** Elements that Enter and Space press. */
const PRESSED = "button, a, summary, [role=menuitem]";

/** Whether keys go into a widget or an overlay. */
export function capturesKeys(target: Element | null = document.activeElement): boolean {
  return target?.closest?.(TAKES_KEYS) != null || document.querySelector(OVER) !== null;
}

/** How long after g a letter goes to a page. */
export const SEQUENCE_MS = 1500;

/** A lowercase letter or the name of another key, with its action. */
export type Key = readonly [key: string, act: (event: KeyboardEvent) => unknown];

/**
 * Single-key shortcuts of a page and its panel, inactive while a dialog is open above them. If
 * single-key shortcuts are off, they only work within `always`, a selector of the widget they
 * belong to.
 */
export function useKeys(keys: readonly Key[], { always }: { always?: string } = {}): void {
  const { singleKeys } = usePreferences();
  const latest = useRef(keys);
  useLayoutEffect(() => {
    latest.current = keys;
  });
  // Registered in the layout phase: an effect runs later, and would lose the key of a fast user.
  useLayoutEffect(() => {
    if (!singleKeys && !always) return;
    let wentAt = Number.NEGATIVE_INFINITY;
    function onKeyDown(event: KeyboardEvent) {
      if (
        event.defaultPrevented ||
        event.isComposing ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey
      )
        return;
      const target = event.target as Element;
      if (!singleKeys && !(always && target.closest?.(always))) return;
      if (capturesKeys(target)) return;
      if ((event.key === "Enter" || event.key === " ") && target.closest?.(PRESSED)) return;
      const isLetter = /^\p{L}$/u.test(event.key);
      if (isLetter && event.shiftKey) return;
      const goes = event.timeStamp - wentAt < SEQUENCE_MS;
      wentAt = event.key === "g" && !goes ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (goes) return;
      const pressed = isLetter ? event.key.toLowerCase() : event.key;
      const handler = latest.current.find(([key]) => key === pressed)?.[1];
      if (!handler) return;
      event.preventDefault();
      handler(event);
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [singleKeys, always]);
}
