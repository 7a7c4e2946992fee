"use client";

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";

const TYPING_MS = 200;
const MAX_LENGTH = 200;

/**
 * A search field that updates the URL when typing pauses or the field loses focus, except when the
 * user leaves for another page, which the update would delay.
 */
export function SearchField({
  label,
  placeholder = label,
  value,
  onChange,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  // Cancels a pending update when the page is left or the search is set from elsewhere.
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (typed === known) clearTimeout(timer.current);
  }, [typed, known]);

  function settle(next: string) {
    clearTimeout(timer.current);
    if (next === known) return;
    setKnown(next);
    onChange(next);
  }

  function type(next: string) {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => settle(next), TYPING_MS);
  }

  return (
    // Wraps the bar before the search becomes too narrow to read.
    <label className="relative min-w-44 flex-1 sm:max-w-80">
      <span className="sr-only">{label}</span>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted max-sm:top-2.5"
      />
      <input
        type="search"
        value={typed}
        placeholder={placeholder}
        maxLength={MAX_LENGTH}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => type(target.value)}
        onBlur={({ relatedTarget }) =>
          leadsAway(relatedTarget) ? clearTimeout(timer.current) : settle(typed)
        }
        className="h-8 w-full rounded-md border border-field bg-surface pr-2 pl-8 text-sm text-ink placeholder:text-muted max-sm:h-9 max-sm:text-lg"
      />
    </label>
  );
}

function leadsAway(next: Element | null): boolean {
  return next instanceof HTMLAnchorElement && next.pathname !== window.location.pathname;
}
