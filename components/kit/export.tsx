"use client";

import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { MenuItem } from "#components/ui/menu.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { useMutate } from "./use-mutate.ts";

type File = { name: string; load: () => Promise<Blob> };

/** Downloads an export of /v1. `failed` is the toast if it fails. */
export function useExport({ failed, onSaved }: { failed: string; onSaved?: () => void }) {
  return useMutate({
    send: ({ load }: File) => load(),
    onDone: (content, { name }) => {
      saveFile(content, name);
      onSaved?.();
    },
    failed,
  });
}

/** A menu item that saves a file. */
export function ExportItem({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <MenuItem onClick={onClick}>
      <Download aria-hidden className="size-4 text-muted" />
      {children}
    </MenuItem>
  );
}
