"use client";

import { useEffect } from "react";

const QUESTION = "Leave without saving? What you changed here will be lost.";

/** Asks before a page with unsaved changes is left: by a link, by going back, by closing it. */
export function useUnsavedWarning(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    window.addEventListener("beforeunload", (event) => event.preventDefault(), { signal });
    // Before the router hears of it.
    document.addEventListener("click", (event) => leadsAway(event) && !window.confirm(QUESTION) && refuse(event), {
      signal,
      capture: true,
    });
    window.navigation?.addEventListener(
      "navigate",
      (event) => {
        if (event.navigationType === "traverse" && event.cancelable && !window.confirm(QUESTION)) event.preventDefault();
      },
      { signal },
    );
    return () => leaving.abort();
  }, [unsaved]);
}

function leadsAway(event: MouseEvent): boolean {
  const link = (event.target as Element).closest("a");
  const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || link?.target === "_blank" || link?.hasAttribute("download");
  return link !== null && !elsewhere && link.pathname !== window.location.pathname;
}

function refuse(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
