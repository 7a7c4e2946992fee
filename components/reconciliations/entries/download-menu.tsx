"use client";

import { Download } from "lucide-react";
import { downloadFromApi, exportFromApi } from "#components/api-client.ts";
import { useExport } from "#components/kit/export.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuItem } from "#components/ui/menu.tsx";
import {
  type BatchFile,
  type EntryBatch,
  fileNameOf,
  getLedgerFileContract,
  listEntriesContract,
  partsOf,
} from "#lib/entries/contract.ts";
import {
  ENTRY_FILE_FORMATS,
  type EntryFileFormat,
  FORMAT_FILES,
} from "#lib/entries/rules/contract.ts";

/** With more files, a menu is no help; a push writes any number. */
const PARTS_LISTED = 12;

type DownloadableFile = BatchFile & { format: EntryFileFormat };

/** The files of a batch; for a ledger one per currency. Downloading one marks nothing. */
export function DownloadMenu({ batch }: { batch: EntryBatch }) {
  const { id, number, sums } = batch;
  const tenant = useTenantId();
  const { start, isPending } = useExport({ failed: "Couldn't download the entries" });
  const files = ENTRY_FILE_FORMATS.flatMap((format) =>
    sums.map(({ currency }): DownloadableFile => ({ batch, format, currency })),
  );
  const download = (file: DownloadableFile, part: number | undefined) =>
    start({
      name: fileNameOf(file, part),
      load: () =>
        downloadFromApi(getLedgerFileContract, {
          tenant,
          params: { id },
          query: { format: file.format, currency: file.currency, part },
        }),
    });
  return (
    <Menu
      align="end"
      label={`Files of batch ${number}`}
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <Download aria-hidden className="size-4 text-muted" />
          {isPending ? "Preparing…" : "Download"}
          <span className="sr-only"> batch {number}</span>
        </>
      }
    >
      <MenuHeading>For a ledger</MenuHeading>
      {files.map((file) => (
        <EntryFileItems
          key={`${file.format} ${file.currency}`}
          file={file}
          onDownload={(part) => download(file, part)}
        />
      ))}
      <MenuHeading>All entries</MenuHeading>
      {(["xlsx", "csv", "ndjson"] as const).map((format) => (
        <MenuItem
          key={format}
          onClick={() =>
            start({
              name: `entries-${number}.${format}`,
              load: () => exportFromApi(listEntriesContract, format, { tenant, params: { id } }),
            })
          }
        >
          {{ xlsx: "Excel workbook", csv: "CSV", ndjson: "NDJSON" }[format]}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** An item for each file format of a ledger. */
function EntryFileItems({
  file,
  onDownload,
}: {
  file: DownloadableFile;
  onDownload: (part: number | undefined) => void;
}) {
  const { parts } = partsOf(file);
  const { label } = FORMAT_FILES[file.format];
  const name = file.batch.sums.length > 1 ? `${label}, ${file.currency}` : label;
  if (parts === 1) return <MenuItem onClick={() => onDownload(undefined)}>{name}</MenuItem>;
  if (parts > PARTS_LISTED)
    return (
      <MenuItem
        onClick={() => {}}
        refused={`${parts.toLocaleString("en")} files: push them to a server in the entry rules.`}
      >
        {name}
      </MenuItem>
    );
  return Array.from({ length: parts }, (_, at) => at + 1).map((part) => (
    <MenuItem key={part} onClick={() => onDownload(part)}>
      {name}, part {part} of {parts}
    </MenuItem>
  ));
}
