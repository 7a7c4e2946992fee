"use client";

import { useContext, useEffect } from "react";
import { PanelOpen } from "./panel-open.ts";

const QUESTION = "Leave without saving? Your changes will be lost.";

/** Asks before unsaved changes are lost by a link, by going back, or by closing the panel. */
export function useUnsavedWarning(unsaved: boolean): void {
  const isShown = useContext(PanelOpen);
  useEffect(() => {
    if (!unsaved || !isShown) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    window.addEventListener("beforeunload", (event) => event.preventDefault(), { signal });
    // Runs before the router handles the event.
    const confirmLeave = (event: Event) => !window.confirm(QUESTION) && refuse(event);
    document.addEventListener(
      "click",
      (event) => (leadsAway(event) || closesPanel(event)) && confirmLeave(event),
      { signal, capture: true },
    );
    document.addEventListener("cancel", (event) => closesPanel(event) && confirmLeave(event), {
      signal,
      capture: true,
    });
    window.navigation?.addEventListener(
      "navigate",
      (event) => {
        if (event.navigationType === "traverse" && event.cancelable && !window.confirm(QUESTION))
          event.preventDefault();
      },
      { signal },
    );
    return () => leaving.abort();
  }, [unsaved, isShown]);
}

function leadsAway(event: MouseEvent): boolean {
  const link = (event.target as Element).closest("a");
  const elsewhere =
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    link?.target === "_blank" ||
    link?.hasAttribute("download");
  // A row replaces the content of the panel.
  return (
    link !== null &&
    !elsewhere &&
    (link.pathname !== window.location.pathname || link.dataset.row !== undefined)
  );
}

/** Clicks outside and Escape target the panel itself, not a dialog over it. */
function closesPanel({ target }: Event): boolean {
  return (
    target instanceof Element &&
    (target.matches("dialog[data-panel]") || target.closest("[data-closes-panel]") !== null)
  );
}

function refuse(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
