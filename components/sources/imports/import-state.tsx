"use client";

import { ImportCounts } from "#components/kit/imports/import-counts.tsx";
import { TransferBar } from "#components/kit/imports/transfer-bar.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { Import } from "#lib/imports/contract.ts";

/** The progress of an import in bytes and lines. */
export function ImportProgress({
  imported: { status, bytes_read, bytes_total, read_count },
}: {
  imported: Import;
}) {
  if (status === "undoing")
    return (
      <TransferBar
        status="Undoing the import"
        note="Removing its lines and undoing their matches…"
      />
    );
  if (status === "queued")
    return (
      <TransferBar
        status="Waiting to be read"
        note="The file is in. It's read as soon as a worker is free."
      />
    );
  return (
    <TransferBar
      status="Reading the file"
      note={`${pluralize(read_count, "line")} read`}
      bytes={{ done: bytes_read, all: bytes_total }}
    />
  );
}

/** The result of an import, as figures. */
export function ImportFigures({
  imported: { accepted_count, duplicate_count, refused_count, skipped_count },
}: {
  imported: Import;
}) {
  return (
    <ImportCounts
      counts={[
        ["New", accepted_count],
        ["Duplicates", duplicate_count],
        ["Rejected", refused_count],
        ...(skipped_count > 0 ? [["Skipped", skipped_count] as const] : []),
      ]}
    />
  );
}
