"use client";

import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { callApiForCsv } from "#components/api-client.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { toast } from "#components/ui/toast.ts";
import { getSlaReportContract } from "#lib/exceptions/sla/contract.ts";
import { reportPeriod } from "./report-period.ts";

const REPORTS = [
  { by: "day", name: "By day" },
  { by: "severity", name: "By severity" },
  { by: "assigned_to", name: "By assignee" },
] as const;

/** How deadlines were kept in the last 30 days, as a file. */
export function ReportMenu({ tenantId, asOf }: { tenantId: string; asOf: string }) {
  const { since, until } = reportPeriod(asOf);
  const { mutate, isPending } = useMutation({
    mutationFn: (by: (typeof REPORTS)[number]["by"]) =>
      callApiForCsv(getSlaReportContract, { tenant: tenantId, query: { since, until, by } }),
    onSuccess: (csv, by) => save(csv, `sla-${tenantId}-by-${by}-${since.slice(0, 10)}.csv`),
    onError: (error) => toast({ title: "The report was not downloaded", description: error.message, failed: true }),
  });
  return (
    <Menu
      align="end"
      label="SLA report of the last 30 days, as CSV"
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <Download aria-hidden className="size-4 text-muted" />
          {isPending ? "Preparing…" : "CSV"}
          <span className="sr-only"> report</span>
        </>
      }
    >
      <p role="presentation" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        SLA report, last 30 days
      </p>
      {REPORTS.map(({ by, name }) => (
        <MenuItem key={by} onClick={() => mutate(by)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
