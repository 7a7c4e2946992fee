"use client";

import { AlarmClock, Ellipsis, FileUp } from "lucide-react";
import { exportFromApi } from "#components/api-client.ts";
import { ExportItem, useExport } from "#components/kit/export.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuLink, MenuSeparator } from "#components/ui/menu.tsx";
import { getSlaReportContract } from "#lib/exceptions/report/contract.ts";
import { exportOfBoard } from "../queries.ts";
import { reportPeriod } from "./report-period.ts";
import type { BoardSearch } from "./search.ts";

const REPORTS = [
  { by: "day", name: "By day" },
  { by: "severity", name: "By severity" },
  { by: "assigned_to", name: "By assignee" },
] as const;

/**
 * The board's other actions: import, export, the policy, and the SLA report of the last 30 days.
 */
export function BoardMenu({ asOf, search }: { asOf: string; search: BoardSearch }) {
  const tenant = useTenantId();
  const { since, until } = reportPeriod(asOf);
  const report = useExport({ failed: "Couldn't download the report" });
  const list = useExport({ failed: "Couldn't export the exceptions" });
  return (
    <Menu
      align="end"
      label="Import, export, policy and reports"
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <Ellipsis aria-hidden className="size-4 text-muted" />
          <span className="max-sm:sr-only">
            {report.isPending || list.isPending ? "Preparing…" : "More"}
          </span>
        </>
      }
    >
      <MenuLink href={`/${tenant}/exceptions/import`}>
        <FileUp aria-hidden className="size-4 text-muted" />
        Import a file
      </MenuLink>
      <ExportItem
        onClick={() =>
          list.start({
            name: `exceptions-${search.state === "open" ? "" : `${search.state}-`}${tenant}-${asOf.slice(0, 10)}.csv`,
            load: () => exportOfBoard(tenant, search),
          })
        }
      >
        Export this view (CSV)
      </ExportItem>
      <MenuLink href={`/${tenant}/sla-policy`}>
        <AlarmClock aria-hidden className="size-4 text-muted" />
        SLA policy
      </MenuLink>
      <MenuSeparator />
      <MenuHeading>CSV report, last 30 days</MenuHeading>
      {REPORTS.map(({ by, name }) => (
        <ExportItem
          key={by}
          onClick={() =>
            report.start({
              name: `sla-${tenant}-by-${by}-${since.slice(0, 10)}.csv`,
              load: () =>
                exportFromApi(getSlaReportContract, "csv", { tenant, query: { since, until, by } }),
            })
          }
        >
          {name}
        </ExportItem>
      ))}
    </Menu>
  );
}
