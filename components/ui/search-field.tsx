"use client";

import { Search } from "lucide-react";
import { useState } from "react";

const TYPING_MS = 200;
const LONGEST = 200;

/** A search field that updates the URL once typing pauses. */
export function SearchField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const [timer, setTimer] = useState<ReturnType<typeof setTimeout>>();
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }

  function type(next: string) {
    setTyped(next);
    clearTimeout(timer);
    setTimer(
      setTimeout(() => {
        setKnown(next);
        onChange(next);
      }, TYPING_MS),
    );
  }

  return (
    <label className="relative min-w-0 flex-1 sm:max-w-80">
      <span className="sr-only">{label}</span>
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted max-sm:top-2.5" />
      <input
        type="search"
        value={typed}
        placeholder={label}
        maxLength={LONGEST}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => type(target.value)}
        className="h-8 w-full rounded-md border border-field bg-surface pr-2 pl-8 text-sm text-ink placeholder:text-muted max-sm:h-9 max-sm:text-lg"
      />
    </label>
  );
}
