"use client";

import { useMutation } from "@tanstack/react-query";
import { AlarmClock, Download, Ellipsis, FileUp } from "lucide-react";
import { exportFromApi } from "#components/api-client.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "#components/ui/menu.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { toast } from "#components/ui/toast.ts";
import { listSlaExceptionsContract } from "#lib/exceptions/contract.ts";
import { getSlaReportContract } from "#lib/exceptions/sla/contract.ts";
import { slaQuery } from "./queries.ts";
import { reportPeriod } from "./report-period.ts";
import type { BoardSearch } from "./search.ts";

const REPORTS = [
  { by: "day", name: "By day" },
  { by: "severity", name: "By severity" },
  { by: "assigned_to", name: "By assignee" },
] as const;

/** What is done around the board: importing, exporting, the policy, and how deadlines were kept in the last 30 days, as a file. */
export function BoardMenu({ tenantId, asOf, search }: { tenantId: string; asOf: string; search: BoardSearch }) {
  const { since, until } = reportPeriod(asOf);
  const { mutate, isPending } = useMutation({
    mutationFn: (by: (typeof REPORTS)[number]["by"]) =>
      exportFromApi(getSlaReportContract, "csv", { tenant: tenantId, query: { since, until, by } }),
    onSuccess: (csv, by) => saveFile(csv, `sla-${tenantId}-by-${by}-${since.slice(0, 10)}.csv`),
    onError: (error) => toast({ title: "The report was not downloaded", description: error.message, failed: true }),
  });
  const list = useMutation({
    mutationFn: () => exportFromApi(listSlaExceptionsContract, "csv", { tenant: tenantId, query: slaQuery(search) }),
    onSuccess: (csv) => saveFile(csv, `exceptions-${tenantId}-${asOf.slice(0, 10)}.csv`),
    onError: (error) => toast({ title: "The exceptions were not exported", description: error.message, failed: true }),
  });
  return (
    <Menu
      align="end"
      label="Import, export, policy and reports"
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <Ellipsis aria-hidden className="size-4 text-muted" />
          {isPending || list.isPending ? "Preparing…" : "More"}
        </>
      }
    >
      <MenuLink href={`/${tenantId}/exceptions/import`}>
        <FileUp aria-hidden className="size-4 text-muted" />
        Import a file
      </MenuLink>
      <MenuItem onClick={() => list.mutate()}>
        <Download aria-hidden className="size-4 text-muted" />
        Export what is listed, as CSV
      </MenuItem>
      <MenuLink href={`/${tenantId}/sla-policy`}>
        <AlarmClock aria-hidden className="size-4 text-muted" />
        SLA policy
      </MenuLink>
      <MenuSeparator />
      <p role="presentation" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        CSV report, last 30 days
      </p>
      {REPORTS.map(({ by, name }) => (
        <MenuItem key={by} onClick={() => mutate(by)}>
          <Download aria-hidden className="size-4 text-muted" />
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
