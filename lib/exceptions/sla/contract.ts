import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { BREACH_RISKS, EXCEPTION_LEDGER, SLA_POLICIES } from "../../wire/facts.gen.ts";
import { actor, id, person, time, timestamp } from "../../wire/schema.ts";
import { exception, slaSummary } from "../contract.ts";

const tag = "SLA monitor";
const count = z.int().min(0);

const minutesOf = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most);

const policy = {
  minutes_to_resolve: z
    .strictObject({
      critical: minutesOf(SLA_POLICIES.critical_minutes),
      high: minutesOf(SLA_POLICIES.high_minutes),
      medium: minutesOf(SLA_POLICIES.medium_minutes),
      low: minutesOf(SLA_POLICIES.low_minutes),
    })
    .meta({ description: "From creation to due_at, where none is given.", example: { critical: 240, high: 480, medium: 1440, low: 4320 } }),
  at_risk_thresholds: z
    .array(minutesOf(SLA_POLICIES.low_minutes))
    .min(SLA_POLICIES.at_risk_thresholds.least)
    .max(SLA_POLICIES.at_risk_thresholds.most)
    .meta({ description: "Minutes before due_at at which exception.sla.at_risk fires.", example: [240, 60] }),
};

export const slaPolicy = z.object({ ...policy, updated_at: time, updated_by: actor }).meta({ id: "SlaPolicy" });

const bySeverity = z.object({ critical: count, high: count, medium: count, low: count });

export const slaPolicyChange = slaPolicy
  .extend({
    dry_run: z.boolean().meta({ example: true }),
    impact: z
      .object({
        changed: count.meta({ description: "Open exceptions whose deadline came from the policy and moves with it.", example: 12 }),
        earlier: count,
        later: count,
        newly_breached: count,
        no_longer_breached: count,
        by_severity: bySeverity,
      })
      .meta({ id: "SlaPolicyImpact" }),
  })
  .meta({ id: "SlaPolicyChange" });

export const getSlaPolicyContract = contract({
  operationId: "getSlaPolicy",
  method: "GET",
  path: "/v1/sla-policy",
  tag,
  summary: "Get the tenant's SLA policy",
  access: needs("read:sla-policy"),
  response: slaPolicy,
  resource: "versioned",
});

export const putSlaPolicyContract = contract({
  operationId: "putSlaPolicy",
  method: "PUT",
  path: "/v1/sla-policy",
  tag,
  summary: "Set the tenant's SLA policy",
  description:
    "With dry_run nothing is changed: the answer says what would be. Thresholds arm the crossings ahead; those already passed send no further " +
    "events. " +
    "With the ETag of what you read in If-Match, nobody else's change is lost.",
  access: needs("write:sla-policy"),
  body: z.strictObject({ ...policy, dry_run: z.boolean().default(false).meta({ example: true }) }),
  response: slaPolicyChange,
  resource: "versioned",
  dryRun: "asked",
});

export const LEDGER_KINDS = EXCEPTION_LEDGER.kind;

export const ledgerRow = z
  .object({
    at: time,
    kind: z.enum(LEDGER_KINDS),
    due_at: time,
    threshold_minutes: z.int().nullable().meta({ description: "Of a crossing: minutes before due_at; 0 is the breach.", example: null }),
    elapsed_seconds: z.number().meta({ description: "Since the row before.", example: 60 }),
    moved_seconds: z.number().meta({ description: "How far due_at was moved.", example: 0 }),
    remaining_seconds: z
      .number()
      .meta({ description: "Until due_at: of the row before, less elapsed_seconds, plus moved_seconds.", example: 1740 }),
    actor,
    ...person,
    request_id: z.string().nullable().meta({ example: "req_5f0c" }),
  })
  .meta({ id: "LedgerRow" });

export const getExceptionLedgerContract = contract({
  operationId: "getExceptionLedger",
  method: "GET",
  path: "/v1/exceptions/{id}/ledger",
  tag,
  summary: "Explain an exception's clock",
  description: "Each change of the clock, in rows that add up, and why the exception breached or did not.",
  access: needs("read:exceptions"),
  params: z.strictObject({ id: id("exc") }),
  response: z
    .object({
      exception_id: exception.shape.id,
      as_of: time,
      breached: z.boolean().meta({ example: false }),
      explanation: z.string().meta({ example: "Resolved 29 min before its deadline." }),
      rows: z.array(ledgerRow),
    })
    .meta({ id: "ExceptionLedger" }),
});

export const timeToBreach = z
  .object({
    buckets: z
      .array(
        z.object({
          from_minutes: z.int().nullable().meta({ description: "The least minutes_to_breach counted; null: no end.", example: 1 }),
          to_minutes: z.int().nullable().meta({ description: "The most.", example: 59 }),
          breach_risk: z.enum(BREACH_RISKS),
          open_count: count.meta({ example: 7 }),
        }),
      )
      .meta({ description: "From the latest to the one with most time left; no two overlap, and none is left out." }),
    summary: slaSummary,
    as_of: time,
  })
  .meta({ id: "TimeToBreach" });

export const getTimeToBreachContract = contract({
  operationId: "getTimeToBreach",
  method: "GET",
  path: "/v1/exceptions/sla/time-to-breach",
  tag,
  summary: "Count open exceptions by time to breach",
  description: "All of the tenant's open exceptions. The buckets of a risk add up to its count in the summary.",
  access: needs("read:sla"),
  response: timeToBreach,
});

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
    key: z.string().nullable().meta({ description: "The day (UTC), the severity, or the assignee; null: nobody.", example: "2026-11-19" }),
    opened: count,
    resolved: count.meta({ description: "Resolved or dismissed." }),
    breached: count,
    breach_rate: z
      .number()
      .nullable()
      .meta({ description: "Breached, of those that were closed or breached; null where none.", example: 0.25 }),
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
  tag,
  summary: "Report how deadlines were kept",
  description: "Counted from the ledger.",
  access: needs("read:sla"),
  query: z
    .strictObject({
      since: timestamp.meta({ example: "2026-10-21T00:00:00.000Z" }),
      until: timestamp.meta({ example: "2026-11-20T00:00:00.000Z" }),
      by: slaReport.shape.by.default("day"),
    })
    .refine(({ since, until }) => since < until, { path: ["until"], message: "Give a time after since." }),
  response: slaReport,
  exported: { summary: "Export how deadlines were kept", columns: REPORT_COLUMNS, item: reportRow },
});
