"use client";

import { CornerDownLeft, Lock, type LucideIcon, Search, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { classes } from "./classes.ts";
import { Keys } from "./keys.tsx";
import { navigate } from "./pending-navigation.ts";
import { useListbox } from "./use-listbox.ts";

/** How long an option must be active before its page is prefetched. */
const RESTING_MS = 150;

/** A result opens `href` or runs `run`. `refused` says why this user can't. */
export type FinderItem = {
  id: string;
  title: string;
  icon: LucideIcon;
  /** `note` is its kind, shown next to the title; `place` is shown below. */
  note?: string;
  place?: string;
  keys?: readonly string[];
  refused?: string;
} & ({ href: string } | { run: () => void });

/** `name` is null if there's only one group. `settling`: its entries may still change. */
export type FinderGroup = {
  name: string | null;
  entries: readonly FinderItem[];
  settling?: boolean;
};

/**
 * A search dialog that navigates to results. `status`: the number of results, or why there are
 * none.
 */
export function Finder({
  label,
  placeholder,
  text,
  onText,
  groups,
  status,
  searching = false,
  onClose,
  children,
}: {
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  groups: readonly FinderGroup[];
  status: ReactNode;
  /** Whether more results may come; Enter waits for them if there are none yet. */
  searching?: boolean;
  onClose: () => void;
  /** Shown below the results. */
  children?: ReactNode;
}) {
  const id = useId();
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const entries = groups.flatMap((group) => group.entries);
  const find = (id: string | undefined) => entries.find((entry) => entry.id === id);
  const listbox = useListbox({
    label,
    keys: entries.map((entry) => entry.id),
    onChoose: (key, inNewTab) => choose(find(key), inNewTab),
    isSettling: (active) =>
      active === undefined
        ? searching
        : groups.some(
            ({ settling, entries }) => settling && entries.some(({ id }) => id === active),
          ),
  });
  const chosen = find(listbox.active);

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  const nextPage = chosen && "href" in chosen && !chosen.refused ? chosen.href : null;
  useEffect(() => {
    if (!nextPage) return;
    const timer = setTimeout(() => router.prefetch(nextPage), RESTING_MS);
    return () => clearTimeout(timer);
  }, [nextPage, router]);

  function choose(entry: FinderItem | undefined, inNewTab: boolean) {
    if (!entry || entry.refused) return;
    // Close first: the target may take focus.
    onClose();
    if ("run" in entry) entry.run();
    else if (inNewTab) window.open(entry.href, "_blank", "noopener");
    else navigate(router, entry.href);
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside closes it; the keyboard has Escape
    <dialog
      ref={dialog}
      aria-label={label}
      data-palette
      // Strict mode closes and reopens it.
      onClose={() => !dialog.current?.open && onClose()}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={classes(
        "fixed mx-auto mt-[12dvh] mb-0 max-h-[min(32rem,76dvh)]",
        "w-[min(40rem,calc(100vw-2rem))] max-w-none flex-col overflow-hidden",
        "rounded-lg bg-surface text-ink shadow-overlay outline-none open:flex",
        "max-sm:mt-2 max-sm:max-h-[calc(100dvh-1rem)] max-sm:w-[calc(100vw-1rem)]",
        "transition-[opacity,translate] duration-100 ease-out backdrop:bg-shade",
        "starting:open:-translate-y-1 starting:open:opacity-0",
      )}
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <input
          {...listbox.field}
          autoFocus
          maxLength={200}
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => {
            listbox.begin();
            onText(target.value);
          }}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-muted"
        />
        <button
          type="button"
          onClick={onClose}
          className="flex h-11 min-w-6 items-center justify-end text-muted"
        >
          <span className="sr-only">Close</span>
          <span className="max-sm:hidden">
            <Keys keys={["Esc"]} />
          </span>
          <X aria-hidden className="size-5 sm:hidden" />
        </button>
      </div>
      <div
        {...listbox.list}
        role="listbox"
        aria-label="Found"
        className="min-h-0 flex-1 overflow-y-auto p-2 outline-none empty:hidden"
      >
        {groups.map(({ name, entries: found }) => {
          const options = found.map((entry) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
            <div
              key={entry.id}
              role="option"
              tabIndex={-1}
              {...listbox.option(entry.id)}
              aria-disabled={entry.refused ? true : undefined}
              onClick={(event) => choose(entry, event.metaKey || event.ctrlKey)}
              className="flex min-h-10 cursor-default items-center gap-3 rounded-md px-2 py-1 aria-disabled:text-muted aria-selected:bg-selected max-sm:min-h-11"
            >
              <Entry entry={entry} chosen={entry === chosen} />
            </div>
          ));
          if (name === null) return options;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
            <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
              <div
                id={`${id}-${name}`}
                role="presentation"
                className="px-2 pt-2 pb-1 text-xs font-medium text-muted"
              >
                {name}
              </div>
              {options}
            </div>
          );
        })}
      </div>
      <p role="status" className="border-t border-line px-4 py-2 text-sm text-muted">
        {status}
        {chosen?.refused && <span className="block font-medium text-ink">{chosen.refused}</span>}
      </p>
      {children}
    </dialog>
  );
}

function Entry({
  entry: { title, note, place, icon: Icon, keys, refused },
  chosen,
}: {
  entry: FinderItem;
  chosen: boolean;
}) {
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0">
        <span className="block truncate">{title}</span>
        {place && <span className="block truncate text-sm text-muted">{place}</span>}
      </span>
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
        {chosen && !refused && <CornerDownLeft aria-hidden className="size-3.5 text-muted" />}
      </span>
    </>
  );
}
