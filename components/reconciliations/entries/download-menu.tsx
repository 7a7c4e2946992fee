"use client";

import { Download } from "lucide-react";
import { downloadFromApi, exportFromApi } from "#components/api-client.ts";
import { useExport } from "#components/kit/export.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuItem } from "#components/ui/menu.tsx";
import {
  type EntryBatch,
  getLedgerFileContract,
  listEntriesContract,
} from "#lib/entries/contract.ts";
import { LEDGER_FORMATS } from "#lib/entries/rules/contract.ts";
import { FORMAT_LABELS } from "./labels.ts";

/** The files of a batch; one per currency for a ledger. Saving one marks nothing. */
export function DownloadMenu({ batch: { id, number, sums } }: { batch: EntryBatch }) {
  const tenant = useTenantId();
  const { start, isPending } = useExport({ failed: "Couldn't download the entries" });
  const currencies = sums.map(({ currency }) => currency);
  const ofSeveral = currencies.length > 1;
  const files = LEDGER_FORMATS.flatMap((format) =>
    currencies.map((currency) => ({ format, currency, ...FORMAT_LABELS[format] })),
  );
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
      {files.map(({ format, currency, label, prefix, extension }) => (
        <MenuItem
          key={`${format} ${currency}`}
          onClick={() =>
            start({
              name: `${prefix}-${number}${ofSeveral ? `-${currency}` : ""}.${extension}`,
              load: () =>
                downloadFromApi(getLedgerFileContract, {
                  tenant,
                  params: { id },
                  query: { format, currency },
                }),
            })
          }
        >
          {label}
          {ofSeveral && `, ${currency}`}
        </MenuItem>
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
