import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { time, timestamp } from "../../wire/schema.ts";

const count = z.int().min(0);

const REPORT_COLUMNS = [
  "key",
  "opened",
  "resolved",
  "breached",
  "breach_rate",
  "median_minutes_to_resolve",
  "p90_minutes_to_resolve",
] as const;

const reportRow = z
  .object({
    key: z.string().nullable().meta({
      description: "The day (UTC), severity or assignee. Null: unassigned.",
      example: "2026-11-19",
    }),
    opened: count,
    resolved: count.meta({ description: "Resolved or dismissed." }),
    breached: count,
    breach_rate: z.number().nullable().meta({
      description: "Share breached, of those closed or breached. Null if there were none.",
      example: 0.25,
    }),
    median_minutes_to_resolve: z.number().nullable().meta({ example: 182.5 }),
    p90_minutes_to_resolve: z.number().nullable().meta({ example: 611 }),
  })
  .meta({ id: "SlaReportRow" });

export const slaReport = z
  .object({
    since: time,
    until: time,
    by: z.enum(["day", "severity", "assigned_to"]),
    rows: z.array(reportRow),
  })
  .meta({ id: "SlaReport" });

export const getSlaReportContract = contract({
  operationId: "getSlaReport",
  method: "GET",
  path: "/v1/exceptions/sla/report",
  tag: "SLA monitor",
  summary: "Get the SLA report",
  description: "Counted from the ledger.",
  access: needs("read:sla"),
  query: z
    .strictObject({
      since: timestamp.meta({ example: "2026-10-21T00:00:00.000Z" }),
      until: timestamp.meta({ example: "2026-11-20T00:00:00.000Z" }),
      by: slaReport.shape.by.default("day"),
    })
    .refine(({ since, until }) => since < until, {
      path: ["until"],
      message: "Must be after since.",
    }),
  response: slaReport,
  exported: { summary: "Export the SLA report", columns: REPORT_COLUMNS, item: reportRow },
});
