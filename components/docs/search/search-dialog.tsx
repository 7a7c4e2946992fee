"use client";

import { BookOpen, Braces, CircleAlert, type LucideIcon, Radio, Search, SquareCode } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { type Entry, search } from "./search.ts";

const ICONS: Record<Entry["kind"], LucideIcon> = {
  Guide: BookOpen,
  Operation: SquareCode,
  Resource: Braces,
  Event: Radio,
  Error: CircleAlert,
};

type Index = { state: "loading" | "failed"; entries: readonly Entry[] } | { state: "ready"; entries: readonly Entry[] };

/** Searches guides, reference and errors in the browser, in an index that is fetched when it opens. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const { index, load } = useIndex();
  const found = search(index.entries, query);

  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);

  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [id, chosen]);

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % found.length);
    } else if (event.key === "Enter" && found[chosen]) {
      event.preventDefault();
      router.push(found[chosen].href);
      onClose();
    }
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it closes it; the keyboard has Escape
    <dialog
      ref={dialog}
      aria-label="Search the docs"
      onClose={() => !dialog.current?.open && onClose()}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="fixed mx-auto mt-[12vh] mb-auto max-h-[76vh] w-[min(40rem,calc(100vw-1.5rem))] max-w-none flex-col overflow-hidden rounded-lg bg-surface text-ink shadow-overlay outline-none backdrop:bg-shade open:flex"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <input
          type="text"
          role="combobox"
          aria-label="Search the docs"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-found`}
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder="An operation, an error, a question"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
          className="h-13 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-muted"
        />
        <Button variant="ghost" size="sm" onClick={onClose}>
          Close
        </Button>
      </div>
      <p role="status" className={found.length > 0 ? "sr-only" : "px-4 py-6 text-center text-muted"}>
        <Said index={index} query={query} count={found.length} />
      </p>
      {index.state === "failed" && (
        <div className="flex justify-center pb-6">
          <Button onClick={load}>Try again</Button>
        </div>
      )}
      <div id={`${id}-found`} role="listbox" tabIndex={-1} aria-label="Found" className="overflow-y-auto p-2 empty:hidden">
        {found.map((entry, at) => (
          <Result
            key={entry.href}
            id={`${id}-${at}`}
            entry={entry}
            chosen={at === chosen}
            onPoint={() => setChosen(at)}
            onClose={onClose}
          />
        ))}
      </div>
    </dialog>
  );
}

function Said({ index, query, count }: { index: Index; query: string; count: number }) {
  if (index.state === "failed") return "The search could not be loaded.";
  if (query.trim() === "") return "Type to search guides, operations, events and errors.";
  if (index.state === "loading") return "Loading…";
  return count > 0 ? `${count} found` : `Nothing matches “${query.trim()}”.`;
}

type ResultProps = { id: string; entry: Entry; chosen: boolean; onPoint: () => void; onClose: () => void };

function Result({ id, entry: { title, kind, place, href }, chosen, onPoint, onClose }: ResultProps) {
  const Icon = ICONS[kind];
  return (
    <Link
      id={id}
      role="option"
      aria-selected={chosen}
      tabIndex={-1}
      href={href}
      prefetch={chosen}
      onPointerMove={onPoint}
      onClick={onClose}
      className="flex min-h-11 items-center gap-3 rounded-md px-3 py-1.5 aria-selected:bg-selected"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{title}</span>
        <span className="block truncate text-sm text-muted">{place}</span>
      </span>
      <span className="shrink-0 text-xs text-muted">{kind}</span>
    </Link>
  );
}

function useIndex(): { index: Index; load: () => void } {
  const [index, setIndex] = useState<Index>({ state: "loading", entries: [] });

  function load() {
    setIndex({ state: "loading", entries: [] });
    fetch("/docs/search.json")
      .then(async (response) => {
        if (!response.ok) throw new Error(`${response.status}`);
        setIndex({ state: "ready", entries: (await response.json()) as Entry[] });
      })
      .catch(() => setIndex({ state: "failed", entries: [] }));
  }

  useEffect(load, []);
  return { index, load };
}
