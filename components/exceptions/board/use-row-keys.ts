"use client";

import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { markRowShift } from "#components/kit/rows.ts";

const LINK = "[data-row]";
const PAGE = 10;

/**
 * Makes a table's rows one tab stop. Arrows, Home, End and the page keys move between rows; if the
 * focused row is removed, the row in its place gets the focus. `reveal` renders the row at an
 * index; `indexOf` returns a row's index. `ledTo` is a row to focus, once for each object.
 */
export function useRowKeys({
  ids,
  indexOf,
  reveal,
  body,
  ledTo,
}: {
  ids: readonly string[];
  indexOf: (at: number) => number;
  reveal: (index: number) => void;
  body: RefObject<HTMLElement | null>;
  ledTo: { id: string } | null;
}) {
  const [stop, setStop] = useState<string | null>(null);
  /** The focused row and its index. */
  const focused = useRef<{ id: string; at: number } | null>(null);
  /** The row to focus once it is rendered. */
  const rowToFocus = useRef<string | null>(null);
  const known = stop !== null && ids.includes(stop);

  function focusWanted(): HTMLElement | null {
    const link =
      body.current?.querySelector<HTMLElement>(`tr[data-id="${rowToFocus.current}"] ${LINK}`) ??
      null;
    if (link) rowToFocus.current = null;
    link?.focus({ preventScroll: true });
    return link;
  }

  function focus(at: number): void {
    rowToFocus.current = ids[at] ?? null;
    const link = focusWanted();
    if (link) link.closest("tr")?.scrollIntoView({ block: "nearest" });
    else reveal(indexOf(at));
  }

  // After every render, because it may take several frames until a revealed row exists.
  useLayoutEffect(() => {
    if (rowToFocus.current === null) return;
    const { activeElement } = document;
    if (activeElement === document.body || body.current?.contains(activeElement)) focusWanted();
    else rowToFocus.current = null;
  });

  const latest = useRef({ focus, ids });
  useLayoutEffect(() => {
    latest.current = { focus, ids };
  });

  useEffect(() => {
    const last = focused.current;
    if (!last || ids.length === 0) return;
    const at = ids.indexOf(last.id);
    if (at >= 0) focused.current = { id: last.id, at };
    else if (document.activeElement === document.body || document.activeElement === null) {
      markRowShift();
      latest.current.focus(Math.min(last.at, ids.length - 1));
    }
  }, [ids]);

  // The row may only be among the rows of a later render.
  const followed = useRef<{ id: string } | null>(null);
  useEffect(() => {
    if (!ledTo || ledTo === followed.current) return;
    const at = ids.indexOf(ledTo.id);
    if (at < 0) return;
    followed.current = ledTo;
    // The pressed button would keep the focus (see the layout effect above).
    (document.activeElement as HTMLElement | null)?.blur();
    latest.current.focus(at);
  }, [ledTo, ids]);

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (
      event.metaKey ||
      event.ctrlKey ||
      event.altKey ||
      event.shiftKey ||
      !(event.target as HTMLElement).matches(LINK)
    )
      return;
    const at = focused.current?.at ?? 0;
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: ids.length - 1,
      PageDown: at + PAGE,
      PageUp: at - PAGE,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    focus(Math.max(0, Math.min(to, ids.length - 1)));
  }

  return {
    /** The row that Tab goes to. */
    stop: known ? stop : (ids[0] ?? null),
    onKeyDown,
    onFocus(event: { target: EventTarget }): void {
      const row = (event.target as HTMLElement).closest<HTMLElement>("tr[data-id]");
      const id = row?.dataset.id;
      if (id === undefined) return;
      focused.current = { id, at: ids.indexOf(id) };
      setStop(id);
    },
  };
}
