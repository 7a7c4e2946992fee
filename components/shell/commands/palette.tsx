"use client";

import { CornerDownLeft, Lock, Search, X } from "lucide-react";
import { useRouter, useSelectedLayoutSegments } from "next/navigation";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { classes } from "#components/ui/classes.ts";
import type { Member, Tenant } from "../member.ts";
import { usePreferences } from "../preferences-provider.tsx";
import { FIRST_SECTION, type SurfaceLink } from "../sections.ts";
import { actionEntries, type Entry, type Group, matching, pageEntries } from "./entries.ts";
import { Keys } from "./keys.tsx";
import { useFound } from "./use-found.ts";

/** How long the choice rests somewhere before its page is fetched ahead. */
const RESTING_MS = 150;

type Props = { tenant: Tenant; member: Member; surfaces: readonly SurfaceLink[]; onClose: () => void };

/** https://www.w3.org/WAI/ARIA/apg/patterns/combobox/: the field keeps the focus, the arrows move the choice. */
export function Palette({ tenant, member, surfaces, onClose }: Props) {
  const id = useId();
  const router = useRouter();
  const preferences = usePreferences();
  const [section = FIRST_SECTION] = useSelectedLayoutSegments();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  // By its id: what is found later may come above it. Null is the first, whichever that is.
  const [pointed, setPointed] = useState<string | null>(null);
  const found = useFound(tenant, member, surfaces, text);

  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);

  const given = { tenant, member, surfaces, preferences, section };
  const groups: Group[] = [
    { name: "Pages", entries: matching(pageEntries(given), text) },
    { name: "Actions", entries: matching(actionEntries(given), text) },
    ...found.groups,
  ].filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  const at = Math.max(
    0,
    entries.findIndex(({ id: own }) => own === pointed),
  );
  const chosen = entries[at];

  const nextPage = chosen && "href" in chosen && !chosen.refused ? chosen.href : null;
  useEffect(() => {
    if (!nextPage) return;
    const timer = setTimeout(() => router.prefetch(nextPage), RESTING_MS);
    return () => clearTimeout(timer);
  }, [nextPage, router]);

  function choose(entry: Entry | undefined, aside = false) {
    if (!entry || entry.refused) return;
    // Closed first: what it leads to may have the focus.
    onClose();
    if ("run" in entry) entry.run();
    else if (aside) window.open(entry.href, "_blank", "noopener");
    else router.push(entry.href);
  }

  function onKeyDown(event: KeyboardEvent) {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 5, PageUp: at - 5 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const around = event.key.startsWith("Arrow")
        ? (next + entries.length) % entries.length
        : Math.max(0, Math.min(next, entries.length - 1));
      setPointed(entries[around]?.id ?? null);
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      choose(chosen, event.metaKey || event.ctrlKey);
    }
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it closes it; the keyboard has Escape
    <dialog
      ref={dialog}
      aria-label="Search or jump to"
      // Strict rendering closes and opens it once more.
      onClose={() => !dialog.current?.open && onClose()}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={classes(
        "fixed mx-auto mt-[12dvh] mb-0 max-h-[min(32rem,76dvh)] w-[min(40rem,calc(100vw-2rem))] max-w-none flex-col overflow-hidden rounded-lg bg-surface text-ink shadow-overlay outline-none open:flex",
        "max-sm:mt-2 max-sm:max-h-[calc(100dvh-1rem)] max-sm:w-[calc(100vw-1rem)]",
        "transition-[opacity,translate] duration-100 ease-out backdrop:bg-shade starting:open:-translate-y-1 starting:open:opacity-0",
      )}
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <input
          autoFocus
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && `${id}-${chosen.id}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder="A page, an action, a key, an exception, a record…"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setPointed(null);
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-muted"
        />
        <button type="button" onClick={onClose} className="flex h-11 min-w-6 items-center justify-end text-muted">
          <span className="sr-only">Close</span>
          <span className="max-sm:hidden">
            <Keys keys={["Esc"]} />
          </span>
          <X aria-hidden className="size-5 sm:hidden" />
        </button>
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="Found" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto p-2 outline-none">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
          <div key={group.name} role="group" aria-labelledby={`${id}-${group.name}`}>
            <div id={`${id}-${group.name}`} role="presentation" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
              {group.name}
            </div>
            {group.entries.map((entry) => (
              <Option
                key={entry.id}
                id={`${id}-${entry.id}`}
                entry={entry}
                selected={entry === chosen}
                onPoint={() => setPointed(entry.id)}
                onChoose={(aside) => choose(entry, aside)}
              />
            ))}
          </div>
        ))}
      </div>
      <p role="status" className="border-t border-line px-4 py-2 text-sm text-muted">
        {sayCount(text, entries.length, found.searching)}
        {found.failed.length > 0 && ` ${found.failed.join(", ")} could not be searched.`}
        {chosen?.refused && <span className="block font-medium text-ink">{chosen.refused}</span>}
      </p>
    </dialog>
  );
}

function sayCount(text: string, count: number, searching: boolean): string {
  if (searching) return "Searching…";
  if (text.trim() === "") return "Type to search keys, exceptions, records and reconciliations as well.";
  if (count === 0) return `Nothing is called “${text.trim()}”.`;
  return count === 1 ? "1 result" : `${count} results`;
}

type OptionProps = { id: string; entry: Entry; selected: boolean; onPoint: () => void; onChoose: (aside: boolean) => void };

function Option({ id, entry: { title, note, icon: Icon, keys, refused }, selected, onPoint, onChoose }: OptionProps) {
  const option = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (selected) option.current?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the keyboard
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={selected}
      aria-disabled={refused ? true : undefined}
      onMouseMove={selected ? undefined : onPoint}
      onClick={(event) => onChoose(event.metaKey || event.ctrlKey)}
      className={classes(
        "flex min-h-10 cursor-default items-center gap-3 rounded-md px-2 max-sm:min-h-11",
        selected && "bg-selected",
        refused && "text-muted",
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 truncate">{title}</span>
      {note && <span className="min-w-0 shrink-2 truncate text-sm text-muted">{note}</span>}
      <span className="ml-auto flex shrink-0 items-center gap-2">
        {refused && (
          <>
            <Lock aria-hidden className="size-3.5 text-muted" />
            <span className="sr-only">{refused}</span>
          </>
        )}
        {keys && (
          <span className="max-sm:hidden">
            <Keys keys={keys} />
          </span>
        )}
        {selected && !refused && <CornerDownLeft aria-hidden className="size-3.5 text-muted" />}
      </span>
    </div>
  );
}
