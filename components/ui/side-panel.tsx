"use client";

import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { focusFront } from "./focus-front.ts";
import { PanelOpen } from "./panel-open.ts";
import { Toaster } from "./toaster.tsx";

const SIDES = {
  left: "mr-auto w-72 not-open:-translate-x-full starting:open:-translate-x-full",
  right: "ml-auto w-full sm:w-[30rem] not-open:translate-x-full starting:open:translate-x-full",
} as const;

/** A modal panel that slides in from the side and keeps the page's scroll position. */
export function SidePanel({
  open,
  onClose,
  side,
  label,
  header,
  asks = false,
  children,
}: {
  open: boolean;
  onClose: () => void;
  side: keyof typeof SIDES;
  label: string;
  header?: ReactNode;
  /** Whether it's a form: then the first field gets focus instead of the Close button. */
  asks?: boolean;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    const shown = dialog.current;
    if (!open) return;
    shown?.showModal();
    return () => {
      shown?.close();
      // Hidden elements keep focus until the next frame.
      if (document.activeElement === document.body || shown?.contains(document.activeElement)) focusFront();
    };
  }, [open]);

  useEffect(() => {
    if (open && asks) dialog.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, [open, asks]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside closes it; the keyboard has Escape
    <dialog
      ref={dialog}
      data-panel
      tabIndex={-1}
      aria-label={label}
      // React bubbles the `close` of nested dialogs.
      onClose={(event) => event.target === dialog.current && onClose()}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={classes(
        "fixed inset-y-0 my-0 h-dvh max-h-none max-w-none overscroll-contain bg-surface text-ink outline-none shadow-overlay transition-[translate,display,overlay] transition-discrete duration-200 ease-out",
        "backdrop:bg-shade backdrop:transition-[opacity,display,overlay] backdrop:transition-discrete backdrop:duration-200 not-open:backdrop:opacity-0 starting:open:backdrop:opacity-0",
        SIDES[side],
      )}
    >
      <div className="flex min-h-full flex-col">
        <div className="flex items-center justify-between p-1 pl-3">
          {header ?? <span />}
          <Button variant="ghost" size="touch" aria-label="Close" data-closes-panel onClick={onClose}>
            <X aria-hidden className="size-5" />
          </Button>
        </div>
        <PanelOpen value={open}>{children}</PanelOpen>
      </div>
      {open && <Toaster />}
    </dialog>
  );
}
