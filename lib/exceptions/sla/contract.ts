import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { BREACH_RISKS, EXCEPTION_LEDGER, SLA_POLICIES } from "../../wire/facts.gen.ts";
import { actor, id, page, pageQuery, person, text, time, timestamp } from "../../wire/schema.ts";
import { exception, slaItem, slaSummary } from "../contract.ts";
import { anyStatus, FACET_NAMES, type Facet, slaFilters } from "../filters/contract.ts";

const tag = "SLA monitor";
const count = z.int().min(0);

const minutesOf = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max);

const policy = {
  minutes_to_resolve: z
    .strictObject({
      critical: minutesOf(SLA_POLICIES.critical_minutes),
      high: minutesOf(SLA_POLICIES.high_minutes),
      medium: minutesOf(SLA_POLICIES.medium_minutes),
      low: minutesOf(SLA_POLICIES.low_minutes),
    })
    .meta({
      description: "Time from creation to due_at, if no due_at is sent.",
      example: { critical: 240, high: 480, medium: 1440, low: 4320 },
    }),
  at_risk_thresholds: z
    .array(minutesOf(SLA_POLICIES.low_minutes))
    .min(SLA_POLICIES.at_risk_thresholds.min)
    .max(SLA_POLICIES.at_risk_thresholds.max)
    .meta({
      description: "Minutes before due_at at which exception.sla.at_risk is sent. May be empty.",
      example: [240, 60],
    }),
};

const calendarChoice = id("cal").nullable();

/** Fields that a PUT leaves unchanged if they are omitted. */
const calendarFields = {
  at_risk_business_thresholds: z
    .array(minutesOf(SLA_POLICIES.low_minutes))
    .max(SLA_POLICIES.at_risk_business_thresholds.max)
    .meta({
      description:
        "The same in open minutes of the exception's calendar. Round the clock, every " +
        "minute is open. If omitted, it stays unchanged.",
      example: [],
    }),
  calendar_id: calendarChoice.meta({
    description:
      "The calendar whose open minutes minutes_to_resolve counts. Null: round the clock. If " +
      "omitted, it stays unchanged.",
    example: null,
  }),
  calendar_by_severity: z
    .strictObject({
      critical: calendarChoice,
      high: calendarChoice,
      medium: calendarChoice,
      low: calendarChoice,
    })
    .partial()
    .meta({
      description:
        "Severities with a calendar other than calendar_id, or null for none. If omitted, " +
        "it stays unchanged.",
      example: { critical: null },
    }),
  pause: z
    .strictObject({
      max_minutes: z
        .int()
        .min(SLA_POLICIES.pause_max_minutes.min)
        .max(SLA_POLICIES.pause_max_minutes.max)
        .nullable()
        .meta({
          description:
            "The maximum length of a pause in wall-clock minutes, after which it ends. " +
            "Null: no limit.",
          example: 10_080,
        }),
      max_count: z
        .int()
        .min(SLA_POLICIES.pause_max_count.min)
        .max(SLA_POLICIES.pause_max_count.max)
        .nullable()
        .meta({ description: "How often an exception may be paused. Null: no limit.", example: 3 }),
      rules: z
        .array(
          z
            .strictObject({
              status: z.literal("in_review").nullable().default(null),
              reason_code: text(64).nullable().default(null),
            })
            .refine(
              ({ status, reason_code }) => status !== null || reason_code !== null,
              "Include status, reason_code or both.",
            ),
        )
        .max(SLA_POLICIES.pause_rules.max)
        .meta({
          description:
            "A change to this status and reason code pauses an exception; a change away " +
            "resumes it. Null: any.",
          example: [{ status: null, reason_code: "waiting_for_bank" }],
        }),
    })
    .meta({
      id: "PausePolicyInput",
      outputId: "PausePolicy",
      description: "When clocks pause, and for how long. If omitted, it stays unchanged.",
    }),
};

export const slaPolicy = z
  .object({ ...policy, ...calendarFields, updated_at: time, updated_by: actor })
  .meta({ id: "SlaPolicy" });

const bySeverity = z.object({ critical: count, high: count, medium: count, low: count });

export const slaPolicyChange = slaPolicy
  .extend({
    dry_run: z.boolean().meta({ example: true }),
    impact: z
      .object({
        changed: count.meta({
          description: "Open exceptions whose deadline was set by the policy and moves with it.",
          example: 12,
        }),
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
    "With dry_run, nothing changes: the response previews the effect. New thresholds apply to " +
    "upcoming deadlines. Deadlines already passed send no further events. Send the ETag you read " +
    "in If-Match to avoid overwriting someone else's change.",
  access: needs("write:sla-policy"),
  body: z.strictObject({
    ...policy,
    ...z.object(calendarFields).partial().shape,
    dry_run: z.boolean().default(false).meta({ example: true }),
  }),
  response: slaPolicyChange,
  resource: "versioned",
  dryRun: "asked",
});

export const THRESHOLD_KINDS = ["wall_clock", "business"] as const;

export const TIMELINE_KINDS = EXCEPTION_LEDGER.kind;

export const timelineRow = z
  .object({
    at: time,
    kind: z.enum(TIMELINE_KINDS),
    due_at: time,
    threshold_minutes: z.int().nullable().meta({
      description: "For a crossing: minutes before due_at. 0 is the breach.",
      example: null,
    }),
    threshold_kind: z.enum(THRESHOLD_KINDS).nullable().meta({
      description: "What threshold_minutes counts: all minutes, or open ones of the calendar.",
      example: null,
    }),
    elapsed_seconds: z.number().meta({
      description:
        "Since the previous row: worked_seconds, closed_seconds and paused_seconds together.",
      example: 60,
    }),
    worked_seconds: z
      .number()
      .meta({ description: "The part of elapsed_seconds in which the clock ran.", example: 60 }),
    closed_seconds: z
      .number()
      .meta({ description: "The part of elapsed_seconds outside of business hours.", example: 0 }),
    paused_seconds: z
      .number()
      .meta({ description: "The part of elapsed_seconds in which it was paused.", example: 0 }),
    moved_seconds: z.number().meta({ description: "How far due_at was moved.", example: 0 }),
    remaining_seconds: z.number().meta({
      description:
        "Until due_at: the previous row's value, minus elapsed_seconds, plus moved_seconds.",
      example: 1740,
    }),
    business_moved_seconds: z.number().nullable().meta({
      description: "How far due_at was moved in business time. Null without a calendar.",
      example: null,
    }),
    business_remaining_seconds: z
      .number()
      .nullable()
      .meta({
        description:
          "Business time until due_at: the previous row's value, minus worked_seconds, plus " +
          "business_moved_seconds. Null without a calendar.",
        example: null,
      }),
    actor,
    ...person,
    request_id: z.string().nullable().meta({ example: "req_5f0c" }),
  })
  .meta({ id: "LedgerRow" });

export const TIMELINE_SEGMENTS = ["worked", "closed", "paused"] as const;

const timelineSegment = z
  .object({
    starts_at: time,
    ends_at: time,
    kind: z.enum(TIMELINE_SEGMENTS).meta({ example: "worked" }),
  })
  .meta({ id: "LedgerSegment" });

export const getExceptionLedgerContract = contract({
  operationId: "getExceptionLedger",
  method: "GET",
  path: "/v1/exceptions/{id}/ledger",
  tag,
  summary: "Get an exception's SLA timeline",
  description:
    "Every change of the clock, in rows that add up, and why the exception breached or didn't.",
  access: needs("read:exceptions"),
  params: z.strictObject({ id: id("exc") }),
  response: z
    .object({
      exception_id: exception.shape.id,
      as_of: time,
      breached: z.boolean().meta({ example: false }),
      explanation: z.string().meta({ example: "Resolved 29 min before its deadline." }),
      rows: z.array(timelineRow),
      segments: z.array(timelineSegment).meta({
        description:
          "What the clock did since the first row, without gaps. Up to as_of they add up to " +
          "the rows' worked, closed and paused seconds. After as_of: until due_at, at most " +
          "92 days ahead, as if resumed now.",
      }),
    })
    .meta({ id: "ExceptionLedger" }),
});

export const timeToBreach = z
  .object({
    buckets: z
      .array(
        z.object({
          from_minutes: z
            .int()
            .nullable()
            .meta({ description: "Lowest minutes_to_breach counted. Null: no limit.", example: 1 }),
          to_minutes: z.int().nullable().meta({
            description: "Highest minutes_to_breach counted. Null: no limit.",
            example: 59,
          }),
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
  audience: "dashboard",
  method: "GET",
  path: "/v1/exceptions/sla/time-to-breach",
  tag,
  summary: "Count open exceptions by time to breach",
  description:
    "All open exceptions of the tenant. The buckets of a risk add up to its count in the summary.",
  access: needs("read:sla"),
  response: timeToBreach,
});

export const listSlaChangesContract = contract({
  operationId: "listSlaChanges",
  method: "GET",
  path: "/v1/exceptions/sla/changes",
  tag: "SLA monitor",
  summary: "List what changed in the open exceptions",
  description:
    "Keeps a list up to date. Send the list's filters and its as_of as since; follow " +
    "next_cursor, then pass the first page's as_of next time, with its ETag. Each item has " +
    "the current exception, or null if your filters no longer match it. Changes of " +
    "breach_risk over time are included. Items can repeat, so apply them idempotently.",
  access: needs("read:sla"),
  resource: "polled",
  query: z.strictObject({
    ...pageQuery,
    ...slaFilters,
    since: timestamp.meta({ description: "The as_of of your list, at most 24 hours ago." }),
  }),
  response: page(
    z
      .object({
        id: exception.shape.id,
        changed_at: time,
        exception: slaItem
          .nullable()
          .meta({ description: "Null: closed, or the filters no longer match it." }),
      })
      .meta({ id: "SlaChange" }),
  )
    .extend({ summary: slaSummary, as_of: time })
    .meta({ id: "SlaChanges" }),
});
export type SlaChanges = z.output<typeof listSlaChangesContract.response>;

export const FACET_STATES = ["open", "closed", "all"] as const;

const FACET_VALUES_MAX = 50;

const facetValues = z
  .array(
    z
      .object({
        value: z.string().meta({ description: "The value to filter by.", example: "high" }),
        count: count.meta({ example: 12 }),
        name: z
          .string()
          .nullable()
          .meta({ description: "For a reconciliation: its name.", example: null }),
        amount_minor: z
          .int()
          .nullable()
          .meta({ description: "For a currency: the sum at risk, in minor units.", example: null }),
      })
      .meta({ id: "FacetValue" }),
  )
  .max(FACET_VALUES_MAX);

export const getSlaFacetsContract = contract({
  operationId: "getSlaFacets",
  audience: "dashboard",
  method: "GET",
  path: "/v1/exceptions/sla/facets",
  tag: "SLA monitor",
  summary: "Count exceptions by each filter's values",
  description:
    "For each filter, how many exceptions have each of its values, among those that match " +
    "all other filters. Counts the first 20,000; complete says whether that is all. A " +
    "filter with many values has the 50 most frequent.",
  access: needs("read:sla"),
  query: z.strictObject({
    ...slaFilters,
    status: anyStatus,
    state: z.enum(FACET_STATES).default("open").meta({ description: "Which exceptions to count." }),
  }),
  response: z
    .object({
      total: count.meta({ description: "Exceptions that all the filters match.", example: 380 }),
      paused_count: count.meta({ description: "Paused exceptions, part of low risk.", example: 3 }),
      facets: z.object(
        Object.fromEntries(FACET_NAMES.map((facet) => [facet, facetValues])) as Record<
          Facet,
          typeof facetValues
        >,
      ),
      complete: z.boolean().meta({ example: true }),
      as_of: time,
    })
    .meta({ id: "SlaFacets" }),
});
export type SlaFacets = z.output<typeof getSlaFacetsContract.response>;
