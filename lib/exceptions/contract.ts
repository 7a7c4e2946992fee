import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { CURRENCIES } from "../wire/currencies.ts";
import {
  BREACH_RISKS,
  EXCEPTIONS,
  OPEN_EXCEPTION_STATUSES,
  RISK_MINUTES,
} from "../wire/facts.gen.ts";
import {
  actor,
  id,
  page,
  pageQuery,
  text,
  time,
  timestamp,
  user,
  userReference,
} from "../wire/schema.ts";
import { anyStatus, exceptionFilters, recentFilters, slaFilters } from "./filters/contract.ts";

export const SEVERITIES = EXCEPTIONS.severity;
export const STATUSES = EXCEPTIONS.status;
export const OPEN_STATUSES = OPEN_EXCEPTION_STATUSES;
export const SLA_SORTS = ["due_at", "severity", "assigned_to", "breach_risk", "amount"] as const;
export const EXCEPTION_SORTS = ["created_at", "closed_at"] as const;

export const severity = z.enum(SEVERITIES).meta({ example: "high" });
export const status = z.enum(STATUSES);
const breachRisk = z.enum(BREACH_RISKS).meta({ example: "high" });
export const exceptionId = id("exc");
const reconciliationId = id("rcn");

const DETAILS_MAX_BYTES = 16_384;
const details = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= DETAILS_MAX_BYTES,
    "At most 16 kB of JSON.",
  )
  .meta({ description: "Any JSON object, up to 16 kB.", example: { source_line: 118 } });

export const settable = {
  title: text(EXCEPTIONS.title.max).meta({ example: "Payout 4711 has no bank line" }),
  severity,
  assigned_to: userReference.nullable(),
  due_at: timestamp,
  reason_code: text(EXCEPTIONS.reason_code.max).nullable().meta({ example: "missing_counterpart" }),
  amount_minor: z.int().min(EXCEPTIONS.amount_minor.min).nullable().meta({
    description: "Money at risk, in the currency's minor unit. Requires currency.",
    example: 125000,
  }),
  currency: z
    .enum(CURRENCIES, { error: "Must be an ISO 4217 code, for example EUR." })
    .nullable()
    .meta({ example: "EUR" }),
  reconciliation_id: reconciliationId.nullable(),
};

const { title, severity: _severity, ...optionalFields } = settable;
const {
  amount_minor: _amount,
  currency: _currency,
  reconciliation_id: _id,
  ...ofMany
} = optionalFields;

/** The fields that can be set for many exceptions at once. */
export const settableForMany = { severity, ...ofMany };

/** The exception on the wire: spec 2.2 and the fields of contract.md. */
export const exception = z
  .object({
    id: exceptionId,
    title: z.string().meta({ example: "Payout 4711 has no bank line" }),
    severity,
    assigned_to: user.nullable(),
    due_at: time,
    minutes_to_breach: z.int().nullable().meta({
      description:
        "Minutes until due_at, rounded up. Zero or negative when breached, null when closed.",
      example: 30,
    }),
    breach_risk: breachRisk.nullable(),
    business_minutes_remaining: z
      .int()
      .nullable()
      .meta({
        description:
          "Open minutes of its calendar until due_at, rounded up. Null without a calendar, when " +
          "closed, or over 25 years away.",
        example: null,
      }),
    calendar_id: id("cal").nullable().meta({
      description: "The calendar its deadline counts by. Null: round the clock.",
      example: null,
    }),
    paused_at: time.nullable().meta({ description: "Null: not paused.", example: null }),
    paused_until: time.nullable().meta({
      description: "When it resumes by itself. Null: when someone resumes it.",
      example: null,
    }),
    pause_reason: z.string().nullable().meta({ example: null }),
    status,
    reason_code: z.string().nullable().meta({ example: "missing_counterpart" }),
    amount_minor: z
      .int()
      .nullable()
      .meta({
        description:
          "Money at risk. For lines: the open amount of a single line, or the difference of " +
          "a suggestion.",
        example: 125000,
      }),
    currency: z.string().nullable().meta({ example: "EUR" }),
    reconciliation_id: reconciliationId.nullable(),
    line_id: id("lin")
      .nullable()
      .meta({
        description:
          "The line that stayed open too long. For a suggestion, whose lines share one " +
          "exception, the first of them.",
        example: null,
      }),
    suggested_match_id: id("mat")
      .nullable()
      .meta({
        description:
          "The suggested match of the line. The exception is about all lines of this match: " +
          "details.lines names them.",
        example: null,
      }),
    details: z.record(z.string(), z.unknown()).meta({ example: { source_line: 118 } }),
    resolution: z.string().nullable().meta({ example: null }),
    created_at: time,
    created_by: actor,
    updated_at: time,
    closed_at: time.nullable().meta({ example: null }),
  })
  .meta({ id: "SlaException" });
export type Exception = z.output<typeof exception>;

/** An open exception, with the time left until its deadline. */
export const slaItem = exception
  .extend({
    minutes_to_breach: z.int().meta({ example: 30 }),
    breach_risk: breachRisk,
    status: z.enum(OPEN_STATUSES),
  })
  .meta({ id: "SlaItem" });
export type SlaItem = z.output<typeof slaItem>;

/** The columns of an export, for open and closed exceptions. */
const COLUMNS = Object.keys(exception.shape) as (keyof Exception)[];

export const count = z.int().min(0);

export const slaSummary = z
  .object({ breached_count: count, at_risk_count: count, on_track_count: count, total_open: count })
  .meta({
    id: "SlaSummary",
    description:
      "All open exceptions of the tenant, regardless of filters. At risk is high and medium, " +
      "on track is low.",
    example: { breached_count: 3, at_risk_count: 12, on_track_count: 85, total_open: 100 },
  });

export const tag = "Exceptions";
export const byId = z.strictObject({ id: exceptionId });

export const listExceptionsContract = contract({
  operationId: "listExceptions",
  method: "GET",
  path: "/v1/exceptions",
  tag,
  summary: "List exceptions, newest first",
  access: needs("read:exceptions"),
  query: z.strictObject({
    ...pageQuery,
    ...exceptionFilters,
    ...recentFilters,
    status: anyStatus,
    sortBy: z.enum(EXCEPTION_SORTS).default("created_at").meta({
      description: "Newest first. closed_at lists only closed exceptions, last closed first.",
    }),
  }),
  response: page(exception),
  exported: { summary: "Export exceptions, open or closed", columns: COLUMNS, item: exception },
});

export const createExceptionContract = contract({
  operationId: "createException",
  method: "POST",
  path: "/v1/exceptions",
  tag,
  summary: "Create an exception",
  description: "Without due_at, the tenant's SLA policy for the severity sets the deadline.",
  access: needs("write:exceptions"),
  idempotency: { field: "idempotency_key", required: false },
  resource: "versioned",
  body: z.strictObject({
    title,
    severity,
    ...z.object(optionalFields).partial().shape,
    status: z.enum(OPEN_STATUSES).optional(),
    details: details.optional(),
  }),
  response: exception,
  status: 201,
  errors: ["conflict"],
});

export const getExceptionContract = contract({
  operationId: "getException",
  method: "GET",
  path: "/v1/exceptions/{id}",
  tag,
  summary: "Get an exception",
  resource: "versioned",
  access: needs("read:exceptions"),
  params: byId,
  response: exception,
});

export const updateExceptionContract = contract({
  operationId: "updateException",
  method: "PATCH",
  path: "/v1/exceptions/{id}",
  tag,
  summary: "Change an exception",
  resource: "versioned",
  description:
    "A JSON merge patch (RFC 7396). Allowed status changes: between open and in_review; from " +
    "either to resolved or dismissed, with a resolution; from resolved or dismissed to open. Any " +
    "other change returns 409.",
  access: needs("write:exceptions"),
  params: byId,
  body: z
    .strictObject({
      ...settable,
      status,
      details: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({
          description: "Merged into details. At most 16 kB after merging.",
          example: { note: "Asked the bank." },
        }),
      resolution: text(EXCEPTIONS.resolution.max)
        .nullable()
        .meta({ example: "Matched by hand to bank line 118." }),
    })
    .partial()
    .meta({ example: { status: "resolved", resolution: "Matched by hand to bank line 118." } }),
  response: exception,
  errors: ["invalid_transition", "conflict"],
});

export const listSlaExceptionsContract = contract({
  operationId: "listSlaExceptions",
  method: "GET",
  path: "/v1/exceptions/sla",
  tag: "SLA monitor",
  summary: "List open exceptions by time to breach",
  description:
    "Open and in-review exceptions, with a summary of all of them. breach_risk: breached at 0 " +
    `minutes or less, high below ${RISK_MINUTES.high_below}, medium from ` +
    `${RISK_MINUTES.high_below} to ${RISK_MINUTES.medium_up_to}, low above. The weak ETag ` +
    "holds for at most a minute, while minutes_to_breach goes on.",
  access: needs("read:sla"),
  resource: "polled",
  query: z.strictObject({
    ...pageQuery,
    ...slaFilters,
    sortBy: z.enum(SLA_SORTS).default("due_at").meta({
      description:
        "amount sorts by currency, largest amount first; exceptions without an amount come last.",
    }),
  }),
  response: page(slaItem).extend({ summary: slaSummary, as_of: time }).meta({ id: "SlaList" }),
  exported: { summary: "Export open exceptions", columns: COLUMNS, item: slaItem },
});
export type SlaList = z.output<typeof listSlaExceptionsContract.response>;
