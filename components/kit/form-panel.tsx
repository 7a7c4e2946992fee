"use client";

import type { ReactNode } from "react";
import { SidePanel } from "#components/ui/side-panel.tsx";

/** A form in a side panel, reset each time it opens. */
export function FormPanel({
  open,
  label,
  onClose,
  children,
}: {
  open: boolean;
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <SidePanel open={open} onClose={onClose} side="right" label={label} confirmsClose>
      {open && children}
    </SidePanel>
  );
}
