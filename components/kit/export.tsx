"use client";

import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { exportFromApi } from "#components/api-client.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuItem } from "#components/ui/menu.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { useAttempt } from "./use-attempt.ts";

type File = { name: string; load: () => Promise<Blob> };

/** Downloads an export of /v1. `failed`: the toast when it can't. */
export function useExport({ failed, onSaved }: { failed: string; onSaved?: () => void }) {
  return useAttempt({
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

type Asked = Parameters<typeof exportFromApi>;

/** Exports all results of a filtered list. `name`: the file's, without extension. */
export function ExportMenu({
  label,
  name,
  contract,
  call,
  failed,
  onSaved,
}: {
  label: string;
  name: string;
  contract: Asked[0];
  call: Asked[2];
  failed: string;
  onSaved?: () => void;
}) {
  const { start, isPending } = useExport({ failed, onSaved });
  return (
    <Menu
      align="end"
      label={label}
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <Download aria-hidden className="size-4 text-muted" />
          {isPending ? "Exporting…" : "Export"}
        </>
      }
    >
      <MenuHeading>Export all results as</MenuHeading>
      <MenuItem onClick={() => start({ name: `${name}.csv`, load: () => exportFromApi(contract, "csv", call) })}>
        CSV, for spreadsheets
      </MenuItem>
      <MenuItem onClick={() => start({ name: `${name}.ndjson`, load: () => exportFromApi(contract, "ndjson", call) })}>
        NDJSON, for programs
      </MenuItem>
    </Menu>
  );
}
