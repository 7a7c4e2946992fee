"use client";

import { Download } from "lucide-react";
import { exportFromApi } from "#components/api-client.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuItem } from "#components/ui/menu.tsx";
import { useExport } from "./export.tsx";

type Asked = Parameters<typeof exportFromApi>;

/** Exports all results of a filtered list. `name`: the file's, without extension. `more`: further files of it, as CSV. */
export function ExportMenu({
  label,
  name,
  contract,
  call,
  failed,
  onSaved,
  more = [],
}: {
  label: string;
  name: string;
  contract: Asked[0];
  call: Asked[2];
  failed: string;
  onSaved?: () => void;
  more?: readonly { label: string; name: string; call: Asked[2] }[];
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
      {more.map((file) => (
        <MenuItem
          key={file.name}
          onClick={() => start({ name: `${file.name}.csv`, load: () => exportFromApi(contract, "csv", file.call) })}
        >
          {file.label}
        </MenuItem>
      ))}
    </Menu>
  );
}
