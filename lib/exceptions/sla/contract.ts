import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { BREACH_RISKS, EXCEPTION_LEDGER, SLA_POLICIES } from "../../wire/facts.gen.ts";
import { actor, id, person, time } from "../../wire/schema.ts";
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
    .meta({
      description: "From creation to due_at, when no due_at is sent.",
      example: { critical: 240, high: 480, medium: 1440, low: 4320 },
    }),
  at_risk_thresholds: z
    .array(minutesOf(SLA_POLICIES.low_minutes))
    .min(SLA_POLICIES.at_risk_thresholds.least)
    .max(SLA_POLICIES.at_risk_thresholds.most)
    .meta({ description: "Minutes before due_at at which exception.sla.at_risk is sent.", example: [240, 60] }),
};

export const slaPolicy = z.object({ ...policy, updated_at: time, updated_by: actor }).meta({ id: "SlaPolicy" });

const bySeverity = z.object({ critical: count, high: count, medium: count, low: count });

export const slaPolicyChange = slaPolicy
  .extend({
    dry_run: z.boolean().meta({ example: true }),
    impact: z
      .object({
        changed: count.meta({ description: "Open exceptions whose deadline was set by the policy and moves with it.", example: 12 }),
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
    "With dry_run, nothing changes: the response previews the effect. New thresholds apply to upcoming deadlines. Deadlines already passed send no further events. " +
    "Send the ETag you read in If-Match to avoid overwriting someone else's change.",
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
    threshold_minutes: z.int().nullable().meta({ description: "For a crossing: minutes before due_at. 0 is the breach.", example: null }),
    elapsed_seconds: z.number().meta({ description: "Since the previous row.", example: 60 }),
    moved_seconds: z.number().meta({ description: "How far due_at was moved.", example: 0 }),
    remaining_seconds: z
      .number()
      .meta({ description: "Until due_at: the previous row's value, minus elapsed_seconds, plus moved_seconds.", example: 1740 }),
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
  summary: "Get an exception's SLA timeline",
  description: "Every change of the clock, in rows that add up, and why the exception did or didn't breach.",
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
          from_minutes: z.int().nullable().meta({ description: "Lowest minutes_to_breach counted. Null: no limit.", example: 1 }),
          to_minutes: z.int().nullable().meta({ description: "Highest minutes_to_breach counted. Null: no limit.", example: 59 }),
          breach_risk: z.enum(BREACH_RISKS),
          open_count: count.meta({ example: 7 }),
        }),
      )
      .meta({ description: "From most overdue to most time left, without gaps or overlaps." }),
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
  description: "All open exceptions of the tenant. The buckets of a risk add up to its count in the summary.",
  access: needs("read:sla"),
  response: timeToBreach,
});
