"use client";

import { Download } from "lucide-react";
import { exportFromApi } from "#components/api-client.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuItem } from "#components/ui/menu.tsx";
import { useExport } from "./export.tsx";

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
