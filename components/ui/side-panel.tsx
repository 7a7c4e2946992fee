"use client";

import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";

const SIDES = {
  left: "left-0 w-72 data-ending-style:-translate-x-full data-starting-style:-translate-x-full",
  right: "right-0 w-full sm:w-[30rem] data-ending-style:translate-x-full data-starting-style:translate-x-full",
} as const;

/** A dialog that slides in from a side and leaves the page where it was. */
export function SidePanel({
  open,
  onClose,
  side,
  label,
  children,
}: {
  open: boolean;
  onClose: () => void;
  side: keyof typeof SIDES;
  /** Its name, where no PanelTitle gives one. */
  label?: string;
  children: ReactNode;
}) {
  return (
    <Dialog.Root open={open} onOpenChange={(opens) => !opens && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup
          aria-label={label}
          className={classes(
            "fixed inset-y-0 z-40 flex max-w-full flex-col overflow-y-auto overscroll-contain bg-surface shadow-overlay outline-none",
            "transition-transform duration-200 ease-out",
            SIDES[side],
          )}
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export const PanelTitle = Dialog.Title;
export const PanelClose = Dialog.Close;
