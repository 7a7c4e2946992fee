"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { createStore, useStore } from "#components/ui/store.ts";

const KEY = "tieout.notify-of-exceptions";
const LISTED = 3;

const notifying = createStore(false);

/**
 * Whether this browser notifies of new exceptions while the board is in the background. The choice
 * is stored in the browser.
 */
export function useNotifications() {
  const isOn = useStore(notifying, false);
  useEffect(() => {
    notifying.set(
      "Notification" in window &&
        Notification.permission === "granted" &&
        localStorage.getItem(KEY) === "on",
    );
  }, []);
  return {
    isOn,
    /** Returns false if the browser doesn't allow it. */
    async toggle(): Promise<boolean> {
      const isWanted =
        !notifying.get() &&
        "Notification" in window &&
        (await Notification.requestPermission()) === "granted";
      const refused = !notifying.get() && !isWanted;
      localStorage.setItem(KEY, isWanted ? "on" : "off");
      notifying.set(isWanted);
      return !refused;
    },
  };
}

/**
 * Counts exceptions that arrived while the board was hidden in the tab's title, and notifies if
 * that is on.
 */
export function useArrivals() {
  const [unseen, setUnseen] = useState(0);
  const title = useRef("");

  useEffect(() => {
    if (unseen === 0) return;
    title.current ||= document.title;
    document.title = `(${unseen.toLocaleString("en")}) ${title.current}`;
    return () => {
      // Another page may have set its own title.
      if (document.title.startsWith("(")) document.title = title.current;
    };
  }, [unseen]);

  useEffect(() => {
    const clearIfVisible = () => document.visibilityState === "visible" && setUnseen(0);
    window.addEventListener("focus", clearIfVisible);
    document.addEventListener("visibilitychange", clearIfVisible);
    return () => {
      window.removeEventListener("focus", clearIfVisible);
      document.removeEventListener("visibilitychange", clearIfVisible);
    };
  }, []);

  return useCallback((titles: string[]) => {
    if (document.visibilityState === "visible" && document.hasFocus()) return;
    setUnseen((count) => count + titles.length);
    if (!notifying.get()) return;
    const [first = ""] = titles;
    const body =
      titles.length > LISTED ? `${titles.slice(0, LISTED).join("\n")}\n…` : titles.join("\n");
    const heading =
      titles.length === 1 ? first : `${titles.length.toLocaleString("en")} new exceptions`;
    const notification = new Notification(heading, {
      tag: KEY,
      ...(titles.length > 1 && { body }),
    });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  }, []);
}
