"use client";

import { X } from "lucide-react";
import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { restoreFocus } from "./restore-focus.ts";
import { Toaster } from "./toaster.tsx";

const FIRST_CONTROL = "input:not([type=radio]), input:checked, textarea, button";

/**
 * A modal dialog, open while it is rendered; on a phone a bottom sheet. A click outside doesn't
 * close it, so that no input is lost. `keepsOpen`: closing calls `onClose` but doesn't close it.
 */
export function Dialog({
  onClose,
  keepsOpen = false,
  title,
  description,
  children,
}: {
  onClose: () => void;
  keepsOpen?: boolean;
  title: string;
  description?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);

  // In the layout phase: it must close and return focus before it leaves the document.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // By default, browsers focus the scrolling part.
    element?.querySelector<HTMLElement>(FIRST_CONTROL)?.focus();
    return () => {
      element?.close();
      // Hidden elements keep focus until the next frame.
      if (document.activeElement === document.body || element?.contains(document.activeElement))
        restoreFocus();
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      closedby={keepsOpen ? "none" : "closerequest"}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onKeyDown={(event) => {
        if (!keepsOpen || event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
      onClose={(event) => {
        if (event.target !== dialog.current || dialog.current.open) return;
        // Browsers without `closedby` close it anyway.
        if (keepsOpen) dialog.current.showModal();
        onClose();
      }}
      className={classes(
        "fixed m-auto max-h-[calc(100dvh-2rem)] w-[min(36rem,calc(100vw-2rem))] " +
          "max-w-none flex-col overscroll-contain rounded-lg bg-surface " +
          "outline-none text-ink shadow-overlay open:flex",
        "max-sm:mb-0 max-sm:max-h-[calc(100dvh-1.5rem)] max-sm:w-full max-sm:rounded-b-none",
        "transition-[opacity,translate] duration-150 ease-out backdrop:bg-shade",
        "starting:open:translate-y-2 starting:open:opacity-0",
      )}
    >
      <header className="flex flex-col gap-1 border-b border-line px-4 pt-4 pr-14 pb-3 sm:pt-5 sm:pr-14 sm:pl-6">
        <h2 id={`${id}-title`} className="text-lg font-semibold tracking-tight wrap-break-word">
          {title}
        </h2>
        {description && (
          <p id={`${id}-description`} className="text-sm text-muted">
            {description}
          </p>
        )}
      </header>
      {children}
      {/* Last, so that the first field or button has focus. */}
      <Button
        variant="ghost"
        size="touch"
        aria-label="Close"
        onClick={onClose}
        className="absolute top-1.5 right-1.5"
      >
        <X aria-hidden className="size-5" />
      </Button>
      <Toaster />
    </dialog>
  );
}

/** The scrolling part. */
export function DialogBody({ className, ...props }: ComponentProps<"div">) {
  return (
    <div
      className={classes(
        "flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-4 py-4 sm:px-6",
        className,
      )}
      {...props}
    />
  );
}

/** The buttons. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="pinned flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3 sm:px-6">
      {children}
    </div>
  );
}
