"use client";

import { Check, Search } from "lucide-react";
import { type ReactNode, type Ref, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { classes } from "./classes.ts";
import { useListbox } from "./use-listbox.ts";

export type Option<Value> = {
  key: string;
  value: Value;
  label: ReactNode;
  /** True for the current value. */
  current?: boolean;
};

const ALIGN = {
  start: "[position-area:block-end_span-inline-end]",
  end: "[position-area:block-end_span-inline-start]",
  above: "[position-area:block-start_span-inline-end]",
} as const;

type Listed<Value> = {
  label: string;
  placeholder: string;
  search: string;
  onSearch: (search: string) => void;
  options: readonly Option<Value>[];
  onChoose: (value: Value) => void;
  /** Whether results are still loading; Enter waits for them. */
  settling?: boolean;
  /** The search status: no results, loading, or what can be typed. */
  note?: ReactNode;
};

/** A button that opens a searchable list. */
export function Combobox<Value>({
  trigger,
  triggerClass,
  align = "start",
  disabled = false,
  opener,
  onOpen,
  ...listed
}: Listed<Value> & {
  trigger: ReactNode;
  triggerClass: string;
  align?: keyof typeof ALIGN;
  disabled?: boolean;
  /** The button, for a shortcut that clicks it. */
  opener?: Ref<HTMLButtonElement>;
  onOpen?: () => void;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);

  // The field is mounted before the list shows, so that opening focuses it in the same task and the
  // next key isn't lost.
  function onBeforeToggle({ newState }: { newState: string }) {
    if (newState !== "open") return;
    flushSync(() => setOpen(true));
    box.current?.querySelector("input")?.setAttribute("autofocus", "");
    onOpen?.();
  }

  // Unmounts only after focus has returned.
  function onToggle({ newState }: { newState: string }) {
    if (newState === "open") return;
    setOpen(false);
    listed.onSearch("");
  }

  return (
    <>
      <button
        ref={opener}
        type="button"
        disabled={disabled}
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={open}
        className={triggerClass}
      >
        {trigger}
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={listed.label}
        onBeforeToggle={onBeforeToggle}
        onToggle={onToggle}
        className={classes(
          "fixed inset-auto m-0 my-1.5 w-72 max-w-[calc(100vw-1rem)] overflow-hidden rounded-lg",
          "bg-raised text-ink shadow-overlay outline-none",
          "[position-try-fallbacks:flip-block,flip-inline,flip-block_flip-inline]",
          "transition-opacity duration-100 starting:open:opacity-0",
          ALIGN[align],
        )}
      >
        {open && (
          <SearchList
            {...listed}
            onChoose={(value) => {
              box.current?.hidePopover();
              listed.onChoose(value);
            }}
            onLeave={() => box.current?.hidePopover()}
          />
        )}
      </div>
    </>
  );
}

function SearchList<Value>({
  label,
  placeholder,
  search,
  onSearch,
  options,
  onChoose,
  settling = false,
  onLeave,
  note,
}: Listed<Value> & { onLeave: () => void }) {
  const listbox = useListbox({
    label,
    keys: options.map(({ key }) => key),
    isSettling: () => settling,
    // Until an option is chosen, the current one is active.
    preset:
      search === ""
        ? options.find(({ current, value }) => current && value !== null)?.key
        : undefined,
    onChoose: (chosen) => {
      for (const { key, value } of options) if (key === chosen) onChoose(value);
    },
  });
  return (
    <>
      <div className="relative border-b border-line">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        />
        <input
          {...listbox.field}
          placeholder={placeholder}
          value={search}
          onChange={(event) => {
            listbox.begin();
            onSearch(event.target.value);
          }}
          onKeyDown={(event) => (event.key === "Tab" ? onLeave() : listbox.field.onKeyDown(event))}
          className="h-10 w-full bg-transparent pr-3 pl-9 text-sm text-ink outline-none placeholder:text-muted max-sm:h-12 max-sm:text-lg"
        />
      </div>
      <div
        {...listbox.list}
        role="listbox"
        aria-label={label}
        className="max-h-72 overflow-y-auto p-1 outline-none empty:hidden"
      >
        {options.map(({ key, value, label: text, current }) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
          <div
            key={key}
            role="option"
            tabIndex={-1}
            {...listbox.option(key)}
            // Keeps the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(value)}
            className="flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2 py-1.5 text-sm select-none aria-selected:bg-hover max-sm:min-h-11"
          >
            <span className="flex min-w-0 flex-1 items-center gap-2">{text}</span>
            {current && (
              <>
                <span className="sr-only">(now)</span>
                <Check aria-hidden className="size-4 shrink-0 text-accent-text" />
              </>
            )}
          </div>
        ))}
      </div>
      <div role="status" className="px-3 py-2 text-sm text-muted empty:hidden">
        {note}
      </div>
    </>
  );
}
