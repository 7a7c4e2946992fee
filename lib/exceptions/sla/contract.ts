import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { BREACH_RISKS, EXCEPTION_LEDGER, SLA_POLICIES } from "../../wire/facts.gen.ts";
import { actor, id, person, text, time } from "../../wire/schema.ts";
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

const calendarChoice = id("cal").nullable();

/** Left out of a PUT, each stays as it is. */
const pace = {
  calendar_id: calendarChoice.meta({
    description: "The calendar whose open minutes minutes_to_resolve counts. Null: round the clock. If omitted, it stays as it is.",
    example: null,
  }),
  calendar_by_severity: z
    .strictObject({ critical: calendarChoice, high: calendarChoice, medium: calendarChoice, low: calendarChoice })
    .partial()
    .meta({
      description: "Severities with another calendar than calendar_id, or null for none. If omitted, it stays as it is.",
      example: { critical: null },
    }),
  pause: z
    .strictObject({
      max_minutes: z.int().min(SLA_POLICIES.pause_max_minutes.least).max(SLA_POLICIES.pause_max_minutes.most).nullable().meta({
        description: "How long one pause may last, in wall-clock minutes; then it ends by itself. Null: no limit.",
        example: 10_080,
      }),
      max_count: z
        .int()
        .min(SLA_POLICIES.pause_max_count.least)
        .max(SLA_POLICIES.pause_max_count.most)
        .nullable()
        .meta({ description: "How often an exception may be paused. Null: no limit.", example: 3 }),
      rules: z
        .array(
          z
            .strictObject({ status: z.literal("in_review").nullable().default(null), reason_code: text(64).nullable().default(null) })
            .refine(({ status, reason_code }) => status !== null || reason_code !== null, "Include status, reason_code or both."),
        )
        .max(SLA_POLICIES.pause_rules.most)
        .meta({
          description: "A change to such a status and reason code pauses an exception; a change away resumes it. Null: any.",
          example: [{ status: null, reason_code: "waiting_for_bank" }],
        }),
    })
    .meta({ id: "PausePolicy", description: "When clocks pause, and for how long. If omitted, it stays as it is." }),
};

export const slaPolicy = z.object({ ...policy, ...pace, updated_at: time, updated_by: actor }).meta({ id: "SlaPolicy" });

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
  body: z.strictObject({ ...policy, ...z.object(pace).partial().shape, dry_run: z.boolean().default(false).meta({ example: true }) }),
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
    elapsed_seconds: z
      .number()
      .meta({ description: "Since the previous row: worked_seconds, closed_seconds and paused_seconds together.", example: 60 }),
    worked_seconds: z.number().meta({ description: "Of elapsed_seconds, how long the deadline's clock ran.", example: 60 }),
    closed_seconds: z.number().meta({ description: "Of elapsed_seconds, the closed hours of the calendar.", example: 0 }),
    paused_seconds: z.number().meta({ description: "Of elapsed_seconds, how long it was paused.", example: 0 }),
    moved_seconds: z.number().meta({ description: "How far due_at was moved.", example: 0 }),
    remaining_seconds: z
      .number()
      .meta({ description: "Until due_at: the previous row's value, minus elapsed_seconds, plus moved_seconds.", example: 1740 }),
    business_moved_seconds: z
      .number()
      .nullable()
      .meta({ description: "How far due_at was moved in business time. Null without a calendar.", example: null }),
    business_remaining_seconds: z.number().nullable().meta({
      description:
        "Business time until due_at: the previous row's value, minus worked_seconds, plus business_moved_seconds. Null without a calendar.",
      example: null,
    }),
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
