import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { RECONCILIATIONS } from "../wire/facts.gen.ts";
import { actor, calendarDate, id, page, pageQuery, text, time } from "../wire/schema.ts";

export const RECONCILIATION_STATUSES = RECONCILIATIONS.status;

export type ReconciliationStatus = (typeof RECONCILIATION_STATUSES)[number];

const status = z.enum(RECONCILIATION_STATUSES);
const reconciliationId = id("rcn");
const count = z.int().min(0);

const signature = z
  .object({
    kind: z.enum(["prepared", "reviewed"]).meta({ example: "prepared" }),
    level: z.int().min(0).max(3).meta({
      description: "0 for the preparer, then the level of review.",
      example: 0,
    }),
    signed_by: actor.meta({ example: "user:leo" }),
    issuer: z.string().meta({
      description: "The issuer of the signer's token.",
      example: "https://id.example.com",
    }),
    subject: z.string().meta({ description: "Its subject.", example: "248289761001" }),
    signed_at: time,
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({
        description: "SHA-256 over the signed statement, matches and exclusions.",
        example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      }),
    note: z.string().nullable().meta({ example: null }),
  })
  .meta({ id: "PeriodSignature" });
export type PeriodSignature = z.output<typeof signature>;
export const signatures = z.array(signature).max(4);

export const signOff = z
  .object({
    state: z.enum(["open", "prepared", "reviewed"]).meta({ example: "prepared" }),
    levels: z.int().min(0).max(3).meta({
      description: "How many reviews a close needs. 0: nobody has to sign first.",
      example: 1,
    }),
    signatures: signatures.meta({ description: "The valid signatures." }),
    revoked: z
      .object({
        at: time,
        by: actor,
        reason: z.string().meta({ example: "Lines arrived." }),
      })
      .nullable()
      .meta({ description: "Why the last signatures are no longer valid.", example: null }),
  })
  .meta({ id: "SignOff" });
export type SignOff = z.output<typeof signOff>;

const settable = {
  name: text(RECONCILIATIONS.name.max).meta({ example: "Stripe payouts to bank, October" }),
  status,
  period_start: calendarDate.meta({
    description: "First day of the period.",
    example: "2026-10-01",
  }),
  period_end: calendarDate.meta({ description: "Last day of the period.", example: "2026-10-31" }),
  left_source: text(RECONCILIATIONS.left_source.max).meta({ example: "stripe.payouts" }),
  right_source: text(RECONCILIATIONS.right_source.max).meta({ example: "bank.statement" }),
  matched_count: count.meta({ example: 4977 }),
  unmatched_count: count.meta({ example: 17 }),
};

const sourceId = id("src");
const autoRun = z.boolean().meta({ description: "Whether new lines start a run.", example: true });

export const reconciliation = z
  .object({
    id: reconciliationId,
    ...settable,
    left_source_id: sourceId
      .nullable()
      .meta({ description: "With it, counts are computed from the lines of both sources." }),
    right_source_id: sourceId.nullable(),
    auto_run: autoRun,
    // Responses stored for replays before this field existed don't have it.
    preparing: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Whether existing lines of its sources are still being added. Until then, runs " +
          "wait, its proof doesn't hold, and deciding, matching manually, excluding and " +
          "closing return a conflict.",
        example: false,
      }),
    closing: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Whether it is being closed, which takes up to half a minute per million lines. " +
          "Until then, changing it, undoing imports of its sources and reopening an earlier " +
          "period return a conflict.",
        example: false,
      }),
    closing_failure: z
      .string()
      .nullable()
      .default(null)
      .meta({
        description:
          "Why it could not be closed, if that was found after the response to the close. " +
          "It is still open.",
        example: null,
      }),
    period_start: z.iso.date().meta({ example: "2026-10-01" }),
    period_end: z.iso.date().meta({ example: "2026-10-31" }),
    excluded_count: count.meta({
      description: "Lines that were excluded in it, in full or in part.",
      example: 3,
    }),
    open_exceptions: count.meta({
      description: "Its open and in-review exceptions, counted now.",
      example: 12,
    }),
    closed_at: time.nullable().meta({ example: null }),
    closed_by: actor.nullable().meta({ example: null }),
    sign_off: signOff
      .nullable()
      .default(null)
      .meta({ description: "Who prepared and reviewed it. Null without sources.", example: null }),
    created_at: time,
    created_by: actor,
    updated_at: time,
  })
  .meta({ id: "Reconciliation" });
export type Reconciliation = z.output<typeof reconciliation>;

const tag = "Reconciliations";
const byId = z.strictObject({ id: reconciliationId });

export const listReconciliationsContract = contract({
  operationId: "listReconciliations",
  method: "GET",
  path: "/v1/reconciliations",
  tag,
  summary: "List reconciliations, newest first",
  access: needs("read:reconciliations"),
  query: z.strictObject({
    ...pageQuery,
    status: status.optional(),
    period_from: calendarDate
      .optional()
      .meta({ description: "Only periods that end on or after this day.", example: "2026-10-01" }),
    period_to: calendarDate.optional().meta({
      description: "Only periods that start on or before this day.",
      example: "2026-10-31",
    }),
    left_source_id: sourceId.optional().meta({ description: "Only those with this left source." }),
    right_source_id: sourceId
      .optional()
      .meta({ description: "Only those with this right source." }),
  }),
  response: page(reconciliation),
});

export const createReconciliationContract = contract({
  operationId: "createReconciliation",
  method: "POST",
  path: "/v1/reconciliations",
  tag,
  summary: "Create a reconciliation",
  description:
    "With left_source_id and right_source_id, it compares the lines of these sources: " +
    "matched_count and unmatched_count are computed, and setting them returns a conflict. " +
    "Periods of one pair of sources can't overlap. The first of a pair is preparing for " +
    "about half a minute per million existing lines. Without sources, you send the counts.",
  access: needs("write:reconciliations"),
  idempotency: { field: "idempotency_key", required: false },
  body: z
    .strictObject({
      ...settable,
      status: z.enum(["open", "in_progress"]).optional(),
      left_source: settable.left_source
        .optional()
        .meta({ description: "By default the source's name. Required without left_source_id." }),
      right_source: settable.right_source.optional(),
      left_source_id: sourceId.optional(),
      right_source_id: sourceId.optional(),
      auto_run: autoRun.optional(),
      matched_count: settable.matched_count.optional(),
      unmatched_count: settable.unmatched_count.optional(),
    })
    .superRefine((body, { addIssue }) => {
      const bound = body.left_source_id !== undefined || body.right_source_id !== undefined;
      for (const side of ["left", "right"] as const) {
        if (bound && body[`${side}_source_id`] === undefined)
          addIssue({
            code: "custom",
            path: [`${side}_source_id`],
            message: "left_source_id and right_source_id come together.",
          });
        if (!bound && body[`${side}_source`] === undefined)
          addIssue({
            code: "custom",
            path: [`${side}_source`],
            message: `Give ${side}_source, or ${side}_source_id.`,
          });
      }
    }),
  response: reconciliation,
  resource: "versioned",
  status: 201,
  errors: ["conflict"],
});

export const getReconciliationContract = contract({
  operationId: "getReconciliation",
  method: "GET",
  path: "/v1/reconciliations/{id}",
  tag,
  summary: "Get a reconciliation",
  access: needs("read:reconciliations"),
  params: byId,
  response: reconciliation,
  resource: "versioned",
});

export const updateReconciliationContract = contract({
  operationId: "updateReconciliation",
  method: "PATCH",
  path: "/v1/reconciliations/{id}",
  tag,
  summary: "Change a reconciliation",
  description:
    "Allowed status changes: between open and in_progress; between in_progress and " +
    "completed; from any status to archived, which is final. With sources, closing " +
    "completes it, and its name, dates and sources can't be changed afterwards.",
  access: needs("write:reconciliations"),
  params: byId,
  body: z.strictObject({ ...settable, auto_run: autoRun }).partial(),
  response: reconciliation,
  resource: "versioned",
  errors: ["invalid_transition", "conflict"],
});
