"use client";

import { Search } from "lucide-react";
import { lazy, Suspense, useLayoutEffect, useState } from "react";
import { classes } from "#components/ui/classes.ts";

const load = () =>
  import("./search-dialog.tsx").then(({ SearchDialog }) => ({ default: SearchDialog }));
const SearchDialog = lazy(load);

const VARIANTS = {
  bar: "h-9 w-9 justify-center sm:w-56 sm:justify-start sm:px-3",
  page: "h-12 w-full px-4 text-lg",
} as const;

/** Opens the search, which is not part of the page's first script; in the bar also by / and ⌘K. */
export function SearchButton({ variant = "bar" }: { variant?: keyof typeof VARIANTS }) {
  const [open, setOpen] = useState(false);

  // Registered before the paint: an effect runs later, and would lose the key of a fast user.
  useLayoutEffect(() => {
    if (variant !== "bar") return;
    // Loaded once the page is idle, so that text typed right after / isn't lost.
    const idle = window.requestIdleCallback?.(load);
    const onKey = (event: KeyboardEvent) => {
      const isRequested =
        event.key === "/"
          ? !isTyping(event.target) && !event.metaKey && !event.ctrlKey
          : event.key === "k" && (event.metaKey || event.ctrlKey);
      if (!isRequested || document.querySelector("dialog:modal")) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      if (idle !== undefined) window.cancelIdleCallback(idle);
    };
  }, [variant]);

  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className={classes(
          "flex shrink-0 items-center gap-2 rounded-md border border-field bg-surface",
          "text-muted transition-colors duration-100 hover:bg-hover hover:text-ink",
          VARIANTS[variant],
        )}
      >
        <Search aria-hidden className="size-4 shrink-0" />
        <span className={variant === "bar" ? "text-sm max-sm:sr-only" : ""}>Search the docs</span>
        <kbd
          aria-hidden
          className="ml-auto rounded-sm border border-line bg-canvas px-1.5 font-mono text-xs max-sm:hidden"
        >
          /
        </kbd>
      </button>
      {open && (
        <Suspense>
          <SearchDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName))
  );
}
