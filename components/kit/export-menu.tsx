"use client";

import { Download } from "lucide-react";
import { exportFromApi } from "#components/api-client.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuItem } from "#components/ui/menu.tsx";
import type { ExportFormat } from "#lib/wire/contract.ts";
import { useExport } from "./export.tsx";

type ExportArguments = Parameters<typeof exportFromApi>;

type File = { label: string; name: string; format: ExportFormat; call: ExportArguments[2] };

/**
 * Exports all results of a filtered list. `name` is the file name without extension; `more` are
 * further files of the export.
 */
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
  contract: ExportArguments[0];
  call: ExportArguments[2];
  failed: string;
  onSaved?: () => void;
  more?: readonly File[];
}) {
  const { start, isPending } = useExport({ failed, onSaved });
  const files: File[] = [
    { label: "CSV, for spreadsheets", name, format: "csv", call },
    { label: "NDJSON, for programs", name, format: "ndjson", call },
    ...more,
  ];
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
      {files.map((file) => (
        <MenuItem
          key={file.label}
          onClick={() =>
            start({
              name: `${file.name}.${file.format}`,
              load: () => exportFromApi(contract, file.format, file.call),
            })
          }
        >
          {file.label}
        </MenuItem>
      ))}
    </Menu>
  );
}
