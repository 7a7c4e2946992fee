"use client";

import { type KeyboardEvent, useEffect, useId, useState } from "react";

const PAGE = 5;

/**
 * A field with a listbox: the field keeps focus, and arrow keys move the active option.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 *
 * `preset` is the key of the initially active option; the first if omitted. `inNewTab` says that the
 * option was chosen with the modifier that opens a link in another tab.
 */
export function useListbox({
  label,
  keys,
  preset,
  onChoose,
  isSettling = () => false,
}: {
  label: string;
  keys: readonly string[];
  preset?: string;
  onChoose: (key: string, inNewTab: boolean) => void;
  /** Whether the active option may still change; Enter waits until it is final. */
  isSettling?: (active: string | undefined) => boolean;
}) {
  const id = useId();
  // Identified by key, because later results may be inserted above it.
  const [pointed, setPointed] = useState<string>();
  const [awaited, setAwaited] = useState<{ inNewTab: boolean } | null>(null);
  const at = Math.max(
    0,
    keys.indexOf(pointed !== undefined && keys.includes(pointed) ? pointed : (preset ?? "")),
  );
  const active = keys[at];
  const optionId = (key: string) => `${id}-${keys.indexOf(key)}`;
  const activeId = active === undefined ? undefined : optionId(active);

  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  useEffect(() => {
    if (awaited && !isSettling(active)) enter(awaited.inNewTab);
  });

  function enter(inNewTab: boolean): void {
    const waits = isSettling(active);
    setAwaited(waits ? { inNewTab } : null);
    if (!waits && active !== undefined) onChoose(active, inNewTab);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const arrow = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const page = { PageDown: PAGE, PageUp: -PAGE }[event.key];
    if (arrow !== undefined) setPointed(keys[(at + arrow + keys.length) % keys.length]);
    else if (page !== undefined)
      setPointed(keys[Math.max(0, Math.min(at + page, keys.length - 1))]);
    else if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    else enter(event.metaKey || event.ctrlKey);
    event.preventDefault();
  }

  return {
    active,
    /** Resets the active option and a waiting Enter, for a new list. */
    begin() {
      setPointed(undefined);
      setAwaited(null);
    },
    field: {
      role: "combobox",
      "aria-label": label,
      "aria-expanded": true,
      "aria-autocomplete": "list",
      "aria-controls": `${id}-list`,
      "aria-activedescendant": activeId,
      autoComplete: "off",
      spellCheck: false,
      onKeyDown,
    },
    list: { id: `${id}-list`, tabIndex: -1 },
    option: (key: string) => ({
      id: optionId(key),
      "aria-selected": key === active,
      onMouseMove: key === active ? undefined : () => setPointed(key),
    }),
  } as const;
}
