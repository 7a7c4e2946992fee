"use client";

import { X } from "lucide-react";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { PanelOpen } from "./panel-open.ts";
import { restoreFocus } from "./restore-focus.ts";
import { Toaster } from "./toaster.tsx";
import { useMedia } from "./use-media.ts";

const OVER = {
  left: "mr-auto w-72 not-open:-translate-x-full starting:open:-translate-x-full",
  right: "ml-auto w-full sm:w-[30rem] not-open:translate-x-full starting:open:translate-x-full",
} as const;

/** Screens with room for page and panel; globals.css has the same width. */
const MIN_ROOM = "(min-width: 68.75rem)";
const DOCKED =
  "min-[68.75rem]:z-20 min-[68.75rem]:w-(--panel-width) min-[68.75rem]:border-l " +
  "min-[68.75rem]:border-line min-[68.75rem]:shadow-none min-[68.75rem]:transition-none";

/**
 * A panel that slides in from the side and keeps the page's scroll position. It is modal and covers
 * the page. With `docked`, on wide screens, it stays next to the page, which remains usable, and
 * doesn't take focus.
 */
export function SidePanel({
  open,
  onClose,
  side,
  label,
  header,
  docked = false,
  confirmsClose = false,
  returnTo,
  children,
}: {
  open: boolean;
  onClose: () => void;
  side: keyof typeof OVER;
  label: string;
  header?: ReactNode;
  docked?: boolean;
  /** Whether it's a form: then the first field gets focus instead of the Close button. */
  confirmsClose?: boolean;
  /**
   * The element to focus when it closes, if the focus was inside; by default the one that had it
   * before.
   */
  returnTo?: () => HTMLElement | undefined;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef({ returnTo, onClose });
  useLayoutEffect(() => {
    latest.current = { returnTo, onClose };
  });
  // Open in the HTML with `docked`, so that the first paint needs no script. Afterwards only the
  // effect opens and closes it.
  const [openAtFirst] = useState(open && docked);
  const hasRoom = useMedia(MIN_ROOM);
  const isModal = !(docked && hasRoom);

  useLayoutEffect(() => {
    const panel = dialog.current;
    if (!open || !panel) return;
    if (isModal) {
      // A dialog shown before its parent would be below it, so nested dialogs are reopened on top.
      const nested = [...panel.querySelectorAll<HTMLDialogElement>("dialog[open]")];
      panel.close();
      panel.showModal();
      for (const element of nested) {
        element.close();
        element.showModal();
      }
    } else panel.setAttribute("open", "");
    return () => {
      const hadFocus = panel.contains(document.activeElement);
      panel.close();
      if (hadFocus) latest.current.returnTo?.()?.focus();
      // Hidden elements keep focus until the next frame.
      if (document.activeElement === document.body || panel.contains(document.activeElement))
        restoreFocus();
    };
  }, [open, isModal]);

  useEffect(() => {
    if (open && confirmsClose)
      dialog.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, [open, confirmsClose]);

  // Escape closes a panel that isn't modal, as the browser does for modal ones. Not by `close()`,
  // whose event comes later: a render before it would open the panel again.
  useLayoutEffect(() => {
    if (!open || isModal) return;
    function onKeyDown(event: KeyboardEvent) {
      if (
        event.key !== "Escape" ||
        event.defaultPrevented ||
        document.querySelector("dialog:modal, :popover-open")
      )
        return;
      if ((event.target as Element).closest?.("input[type=search]")) return;
      if (dialog.current?.dispatchEvent(new Event("cancel", { cancelable: true })))
        latest.current.onClose();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [open, isModal]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside closes it; the keyboard has Escape
    <dialog
      ref={dialog}
      open={openAtFirst}
      data-panel
      data-docked={docked || undefined}
      tabIndex={-1}
      aria-label={label}
      // React bubbles the `close` of nested dialogs, and the event is late: the panel may be open
      // again.
      onClose={(event) => event.target === dialog.current && !dialog.current.open && onClose()}
      onClick={(event) => isModal && event.target === dialog.current && onClose()}
      className={classes(
        "fixed inset-y-0 my-0 h-dvh max-h-none max-w-none overflow-y-auto overscroll-contain " +
          "bg-surface text-ink outline-none shadow-overlay transition-[translate,display,overlay] " +
          "transition-discrete duration-200 ease-out",
        "backdrop:bg-shade backdrop:transition-[opacity,display,overlay]",
        "backdrop:transition-discrete backdrop:duration-200 not-open:backdrop:opacity-0",
        "starting:open:backdrop:opacity-0",
        OVER[side],
        docked && DOCKED,
      )}
    >
      <div className="flex min-h-full flex-col">
        <div className="sticky top-0 z-10 flex items-center justify-between bg-surface p-1 pl-3">
          {header ?? <span />}
          <Button
            variant="ghost"
            size="touch"
            aria-label="Close"
            data-closes-panel
            onClick={onClose}
          >
            <X aria-hidden className="size-5" />
          </Button>
        </div>
        <PanelOpen value={open}>{children}</PanelOpen>
      </div>
      {open && isModal && <Toaster />}
    </dialog>
  );
}
