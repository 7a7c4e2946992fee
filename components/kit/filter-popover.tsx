"use client";

import { type ReactNode, useId, useRef } from "react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { FilterTrigger } from "./filters.tsx";

/** A filter of several fields behind one button. `value`: what is chosen, in words; null: nothing. `children`: only while open. */
export function FilterPopover({
  name,
  value,
  onApply,
  onClear,
  children,
}: {
  name: string;
  value: string | null;
  /** Takes what the fields say. Returns false if they can't be used, to stay open. */
  onApply: (fields: FormData) => boolean;
  onClear: () => void;
  children: ReactNode;
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
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
        // In the task that opens it: the next key goes into the field.
        onBeforeToggle={() => box.current?.querySelector("input")?.setAttribute("autofocus", "")}
        className="fixed inset-auto m-0 my-1.5 w-72 max-w-[calc(100vw-1rem)] rounded-lg bg-raised p-3 text-ink shadow-overlay outline-none [position-area:block-end_span-inline-end] [position-try-fallbacks:flip-block,flip-inline,flip-block_flip-inline]"
      >
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (onApply(new FormData(event.currentTarget))) box.current?.hidePopover();
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
                  onClear();
                  box.current?.hidePopover();
                }}
              >
                Clear
              </Button>
            )}
            <Button size="sm" type="submit" variant="primary">
              Apply
            </Button>
          </div>
        </form>
      </div>
    </>
  );
}
