"use client";

import { type ReactNode, type ToggleEvent, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { FilterTrigger } from "./filters.tsx";

const TYPING_MS = 300;

/**
 * A filter of several fields behind one button, applied while typing. `value` describes the chosen
 * values; null if there are none. `children` are only mounted while it is open.
 */
export function FilterPopover({
  name,
  value,
  onApply,
  onClear,
  children,
}: {
  name: string;
  value: string | null;
  /** Applies the fields. Returns false if they are invalid, and also shows why if `isDone`. */
  onApply: (fields: FormData, isDone: boolean) => boolean;
  onClear: () => void;
  children: ReactNode;
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const [open, setOpen] = useState(false);

  function stopTimer(): void {
    if (timer.current) clearTimeout(timer.current);
    timer.current = null;
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: on unmount only
  useEffect(() => stopTimer, []);

  function apply(isDone: boolean): boolean {
    stopTimer();
    const fields = form.current;
    if (!fields || !(isDone ? fields.reportValidity() : fields.checkValidity())) return false;
    return onApply(new FormData(fields), isDone);
  }

  // In the same task that opens it, so that the next key goes into the field.
  function onBeforeToggle({ newState }: ToggleEvent<HTMLElement>): void {
    if (newState !== "open") return;
    flushSync(() => setOpen(true));
    box.current?.querySelector("input")?.setAttribute("autofocus", "");
  }

  function onToggle({ newState }: ToggleEvent<HTMLElement>): void {
    if (newState === "open") return;
    if (timer.current) apply(false);
    setOpen(false);
  }

  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-haspopup="dialog"
        className={buttonClass({ variant: value ? "selected" : "secondary", size: "sm" })}
      >
        <FilterTrigger>{value ?? name}</FilterTrigger>
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={name}
        onBeforeToggle={onBeforeToggle}
        onToggle={onToggle}
        className="fixed inset-auto m-0 my-1.5 w-72 max-w-[calc(100vw-1rem)] rounded-lg bg-raised p-3 text-ink shadow-overlay outline-none [position-area:block-end_span-inline-end] [position-try-fallbacks:flip-block,flip-inline,flip-block_flip-inline]"
      >
        {open && (
          <form
            ref={form}
            noValidate
            onChange={() => {
              stopTimer();
              timer.current = setTimeout(() => apply(false), TYPING_MS);
            }}
            onSubmit={(event) => {
              event.preventDefault();
              if (apply(true)) box.current?.hidePopover();
            }}
            className="flex flex-col gap-3"
          >
            {children}
            <div className="flex justify-end gap-2">
              {value && (
                <Button
                  size="sm"
                  variant="ghost"
                  onClick={() => {
                    stopTimer();
                    onClear();
                    box.current?.hidePopover();
                  }}
                >
                  Clear
                </Button>
              )}
              <Button size="sm" type="submit" variant="primary">
                Done
              </Button>
            </div>
          </form>
        )}
      </div>
    </>
  );
}
