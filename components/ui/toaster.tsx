"use client";

import { CircleCheck, TriangleAlert, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { useStore } from "./store.ts";
import { dismissToast, type Toast, toasts, visibleToasts } from "./toast.ts";

const READING_S = 6;
const DECIDING_S = 12;
/** How long a message is shown at least before the next one. */
const VISIBLE_MIN_S = 1;
const GAP_PX = 12;
const NONE: readonly Toast[] = [];

/**
 * The toasts, in the page and in every dialog, because everything outside an open dialog is inert,
 * for screen readers, too. All but the front ones are hidden (globals.css).
 */
export function Toaster() {
  const visible = useStore(toasts, NONE);
  return (
    <div
      role="status"
      className="toasts fixed right-4 bottom-4 left-4 z-50 flex flex-col gap-2 empty:hidden sm:left-auto sm:w-90"
    >
      {visibleToasts(visible).map((toast) => (
        <Card key={toast.id} {...toast} />
      ))}
    </div>
  );
}

function Card({ id, title, description, failed, action, awaited }: Toast & { awaited: boolean }) {
  const [isPaused, setPaused] = useState(false);
  const decides = action !== undefined;
  // Counted in ticks and not by the clock, because nobody could read a toast while the page was
  // suspended.
  const seen = useRef(0);

  useEffect(() => {
    if (isPaused) seen.current = 0;
    if (isPaused || failed) return;
    const enough = awaited ? VISIBLE_MIN_S : decides ? DECIDING_S : READING_S;
    const leave = () => seen.current >= enough && dismissToast(id);
    leave();
    const timer = setInterval(() => {
      seen.current += 1;
      leave();
    }, 1000);
    return () => clearInterval(timer);
  }, [isPaused, failed, awaited, decides, id]);

  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (card.current) uncoverFocus(card.current);
  }, []);

  const Icon = failed ? TriangleAlert : CircleCheck;
  const pauseHandlers = {
    onMouseEnter: () => setPaused(true),
    onMouseLeave: () => setPaused(false),
    onFocus: () => setPaused(true),
    onBlur: () => setPaused(false),
  };
  return (
    <div
      ref={card}
      {...pauseHandlers}
      className="flex items-start gap-2.5 rounded-lg bg-raised p-3 text-sm shadow-overlay transition-[opacity,translate] duration-200 starting:translate-y-3 starting:opacity-0"
    >
      <Icon
        aria-hidden
        className={failed ? "mt-0.5 size-4 text-danger-text" : "mt-0.5 size-4 text-accent-text"}
      />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {description && (
          <p className={failed ? "text-muted" : "line-clamp-2 text-muted"}>{description}</p>
        )}
      </div>
      {action && (
        <Button
          size="sm"
          className="-my-1"
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismissToast(id)}
        className="flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}

/** Scrolls the page if a toast would cover the focused element. */
function uncoverFocus(card: HTMLElement): void {
  const focused = document.activeElement;
  if (!focused || focused === document.body || card.closest("dialog")) return;
  const row = (focused.closest("tr, li") ?? focused).getBoundingClientRect();
  const { top, bottom, left, right } = card.getBoundingClientRect();
  const covers = row.bottom > top && row.top < bottom && row.right > left && row.left < right;
  if (covers) window.scrollBy({ top: row.bottom - top + GAP_PX });
}
