"use client";

import { BookOpen, Braces, CircleAlert, type LucideIcon, Radio, SquareCode } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Finder } from "#components/ui/finder.tsx";
import { type Entry, search } from "./search.ts";

const ICONS: Record<Entry["kind"], LucideIcon> = {
  Guide: BookOpen,
  Operation: SquareCode,
  Resource: Braces,
  Event: Radio,
  Error: CircleAlert,
};

type Index = { state: "loading" | "failed" | "ready"; entries: readonly Entry[] };

/**
 * Searches guides, reference and errors in the browser, in an index that is fetched when it opens.
 */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const { index, load } = useIndex();
  const found = search(index.entries, query).map(({ title, kind, place, href }) => ({
    id: href,
    title,
    place,
    note: kind,
    icon: ICONS[kind],
    href,
  }));
  return (
    <Finder
      label="Search the docs"
      placeholder="An operation, an error, a question"
      text={query}
      onText={setQuery}
      groups={[{ name: null, entries: found }]}
      status={sayCount(index.state, query, found.length)}
      onClose={onClose}
    >
      {index.state === "failed" && (
        <div className="flex justify-center pb-4">
          <Button onClick={load}>Try again</Button>
        </div>
      )}
    </Finder>
  );
}

function sayCount(state: Index["state"], query: string, count: number): string {
  if (state === "failed") return "Couldn't load search.";
  if (query.trim() === "") return "Type to search guides, operations, events and errors.";
  if (state === "loading") return "Loading…";
  return count > 0 ? `${count} found` : `No results for “${query.trim()}”.`;
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
