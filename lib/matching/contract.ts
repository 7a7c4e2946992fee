import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import {
  actor,
  calendarDate,
  id,
  page,
  pageQuery,
  queryBoolean,
  queryInteger,
  text,
  time,
  timestamp,
} from "../wire/schema.ts";

export const MATCH_STATES = ["suggested", "confirmed", "rejected", "undone"] as const;
export const SHAPES = ["1:1", "1:n", "n:1", "n:m", "reversal"] as const;
export const SIDES = ["left", "right"] as const;
export const ADJUSTMENT_KINDS = ["fee", "fx", "rounding", "write_off", "other"] as const;
export const MATCH_ACTIONS = ["confirm", "reject", "undo"] as const;
const VERDICTS = ["equal", "close", "similar", "differs", "missing"] as const;

const BULK_MAX = 500;
/** The maximum number of matches that one decision by filter covers. */
export const FILTERED_MAX = 5_000;
const LINES_MAX = 500;

export const matchId = id("mat");
export const lineId = id("lin");
export const reconciliationId = id("rcn");
const state = z.enum(MATCH_STATES).meta({ example: "suggested" });
const shape = z.enum(SHAPES).meta({ example: "1:1" });
export const side = z.enum(SIDES).meta({ example: "left" });
export const currency = z.string().meta({ example: "EUR" });
const minor = z.int().meta({ example: 125000 });

/**
 * A sum in minor units: a number if JSON's numbers hold it exactly, and its digits beyond 2^53 − 1.
 */
export const sum = z.union([z.int(), z.string().regex(/^-?\d{16,40}$/)]).meta({
  description: "In minor units. Beyond 2^53 − 1, the digits as a string.",
  example: 1_250_000,
});
export const method = z
  .string()
  .meta({ description: "The rule's name, or manual.", example: "Same reference" });

const adjustment = z.object({
  kind: z.enum(ADJUSTMENT_KINDS).meta({ example: "fee" }),
  amount_minor: z
    .int()
    .meta({ description: "The part of left − right that it explains.", example: -250 }),
  note: z.string().nullable().meta({ example: "Card fee of October" }),
});

export const explanation = z
  .object({
    rule: method,
    basis: z.enum(["unique", "in_order", "nearest", "keyed", "sum", "evidence", "manual"]).meta({
      description: "Why these lines match: see the guide to matching.",
      example: "unique",
    }),
    fields: z.array(
      z.object({
        field: z.string().meta({ example: "reference" }),
        left: z.string().nullable().meta({ example: "INV-4711" }),
        right: z.string().nullable().meta({ example: "INV 4711" }),
        verdict: z.enum(VERDICTS).meta({ example: "equal" }),
        weight: z.number().nullable().meta({
          description: "Evidence for or against, in nats. Null for a rule without weights.",
          example: 7.2,
        }),
      }),
    ),
    tolerance: z
      .object({
        amount_used_minor: z.string().meta({ example: "250" }),
        amount_allowed_minor: z.number().meta({ example: 500 }),
        days: z.int().meta({ description: "From the left line to the right one.", example: 2 }),
        days_before: z.int().nullable().meta({ example: 3 }),
        days_after: z.int().nullable().meta({ example: 5 }),
      })
      .nullable()
      .meta({ description: "How much of the rule's tolerance was used." }),
    runner_up: z
      .object({ side, line_id: lineId })
      .nullable()
      .meta({ description: "The next best line. Null if there was none." }),
    margin: z.number().nullable().meta({
      description: "By how many nats it was worse. Null if there was none.",
      example: 4.1,
    }),
    held: z
      .enum([
        "rule",
        "track_record",
        "score",
        "margin",
        "chance",
        "budget",
        "contradiction",
        "window",
      ])
      .nullable()
      .meta({ description: "Why it is only suggested. Null for a match.", example: null }),
    // Omitted from what earlier versions stored.
    note: z.string().max(500).nullable().default(null).meta({
      description: "Further reasons, such as equal lines that were paired in order.",
      example: "Paired in order: 3 equal lines on each side.",
    }),
  })
  .meta({ id: "MatchExplanation" });
export type MatchExplanation = z.output<typeof explanation>;

/** The fields that identify a line of a match. */
const lineWords = {
  value_date: z.iso.date().meta({ description: "The line's value.", example: "2026-10-05" }),
  reference: z
    .string()
    .nullable()
    .meta({ description: "The line's value.", example: "RG-2026-4711" }),
  counterparty: z
    .string()
    .nullable()
    .meta({ description: "The line's value.", example: "Kunde 17 GmbH" }),
};

export const match = z
  .object({
    id: matchId,
    reconciliation_id: reconciliationId,
    run_id: id("run").nullable(),
    state,
    shape,
    method,
    score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: "How probable it is. Null for a manual match.", example: 0.9993 }),
    margin: z.number().nullable().meta({
      description: "How much worse the next best solution is, in nats. Null if there is none.",
      example: 6.2,
    }),
    currency,
    amount_minor: minor.meta({
      description: "The amount of the left side, or of the positive half of a reversal.",
      example: 125000,
    }),
    residual_minor: z
      .int()
      .meta({ description: "The remaining difference: left − right − adjustments.", example: 0 }),
    adjustments: z.array(adjustment),
    explanation,
    members: z.array(
      z.object({
        line_id: lineId,
        side,
        allocated_minor: z.int().meta({
          description: "The matched part of the line; negated if the source is inverted.",
          example: 125000,
        }),
        // Responses stored for retries by earlier versions lack these.
        ...z.object(lineWords).partial().shape,
      }),
    ),
    note: z.string().nullable().meta({ example: null }),
    decided_by: actor.nullable().meta({
      description: "Who created, confirmed, rejected or undid it. Null: a run.",
      example: "user:ada",
    }),
    decided_at: time.nullable(),
    created_at: time,
    created_by: actor,
  })
  .meta({ id: "Match" });
export type Match = z.output<typeof match>;

export const tag = "Matching";
export const byReconciliation = z.strictObject({ id: reconciliationId });
const byMatch = z.strictObject({ id: matchId });
export const idempotency = { field: "idempotency_key", required: false } as const;
const filters = {
  method: text(200)
    .optional()
    .meta({ description: "The rule's name, or manual.", example: "Same reference" }),
  shape: shape.optional(),
  run_id: id("run").optional(),
};

const matchRow = z.object({
  match_id: matchId,
  state,
  shape,
  method,
  score: match.shape.score,
  currency,
  side,
  amount: z.string().max(40).meta({ example: "1250.00" }),
  amount_minor: match.shape.members.element.shape.allocated_minor,
  value_date: lineWords.value_date.nullable(),
  reference: lineWords.reference,
  counterparty: lineWords.counterparty,
  line_id: lineId,
  residual: z.string().max(40).meta({ example: "0.00" }),
  residual_minor: match.shape.residual_minor,
  note: match.shape.note,
  decided_by: match.shape.decided_by,
  decided_at: match.shape.decided_at,
  created_at: time,
});
/** A row of exported matches: one of a match's lines. */
export type MatchRow = z.output<typeof matchRow>;

const AMOUNT_MAX = Number.MAX_SAFE_INTEGER;
const day = (which: string) =>
  calendarDate.optional().meta({ description: `Only with a line whose value date is ${which}.` });
const amount = (which: string) =>
  queryInteger(-AMOUNT_MAX, AMOUNT_MAX)
    .optional()
    .meta({ description: `Only with an amount_minor ${which}.`, example: 125_000 });

export const listMatchesContract = contract({
  operationId: "listMatches",
  method: "GET",
  path: "/v1/reconciliations/{id}/matches",
  tag,
  summary: "List a period's matches, newest first",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  query: z.strictObject({
    ...pageQuery,
    state: state.optional(),
    ...filters,
    missing_evidence: queryBoolean.optional().meta({
      description: "Only confirmed matches that lack required evidence.",
      example: true,
    }),
    line_id: lineId.optional(),
    date_from: day("this day or later"),
    date_to: day("this day or earlier"),
    amount_from: amount("of at least this"),
    amount_to: amount("of at most this"),
    q: text(200)
      .optional()
      .meta({
        description:
          "Only matches with a line that has these words, or parts of them, in its texts, or " +
          "this amount.",
        example: "4711",
      }),
    updated_since: timestamp.optional().meta({
      description:
        "Only matches created or decided at or after this time. Use the time of your last " +
        "call, less a few minutes for calls in progress. Suggestions that a run withdrew are " +
        "no longer listed.",
      example: "2026-11-20T09:30:00.000Z",
    }),
  }),
  response: page(match),
  exported: {
    summary: "Export a period's matches",
    description:
      "Streams everything that matches the filters, newest first, with one row for each line " +
      "of a match. `amount` is the matched part of the line; it and `residual` are in major units.",
    columns: Object.keys(matchRow.shape),
    amounts: ["amount", "residual"],
    item: matchRow,
    functions: ["list_matches", "get_reconciliation"],
  },
  errors: ["not_found", "conflict"],
});

export const createMatchContract = contract({
  operationId: "createMatch",
  method: "POST",
  path: "/v1/reconciliations/{id}/matches",
  tag,
  summary: "Match lines manually",
  description:
    "Matches the whole open amount of these lines. Adjustments must explain left − right to " +
    "the minor unit, unless the lines' own fees explain it: those become one adjustment. Lines " +
    "of one side must cancel each other out. An API key can't write off, and can adjust only " +
    "within the tolerance of the rules. The lines of a side can add up to at most 2^53 − 1 in " +
    "minor units.",
  access: needs("write:reconciliations"),
  idempotency,
  params: byReconciliation,
  body: z.strictObject({
    line_ids: z
      .array(lineId)
      .min(2)
      .max(LINES_MAX)
      .refine((ids) => new Set(ids).size === ids.length, "Name each line once.")
      .meta({
        example: ["lin_019a9f4be2c04d6f8a1b3c5d7e9f0a2b", "lin_02c04d6f8a1b3c5d7e9f0a2b019a9f4b"],
      }),
    adjustments: z
      .array(
        z.strictObject({
          kind: adjustment.shape.kind,
          amount_minor: adjustment.shape.amount_minor,
          note: text(500).nullable().default(null).meta({ example: "Card fee of October" }),
        }),
      )
      .max(20)
      .default([])
      .meta({ example: [{ kind: "fee", amount_minor: -250, note: "Card fee of October" }] }),
    note: text(1000).nullable().default(null).meta({ example: "Confirmed by phone" }),
    split_line_id: lineId.optional().meta({
      description:
        "One of line_ids. The difference stays open on this line, as after a part payment, and " +
        "needs no other explanation.",
    }),
  }),
  response: match,
  status: 201,
  errors: ["not_found", "conflict"],
});

export const getMatchContract = contract({
  operationId: "getMatch",
  method: "GET",
  path: "/v1/matches/{id}",
  tag,
  summary: "Get a match",
  access: needs("read:reconciliations"),
  params: byMatch,
  response: match,
  resource: "unversioned",
  noun: "match",
});

const decision = (
  operationId: string,
  verb: string,
  summary: string,
  description: string,
  permission: "decide:matches" | "write:reconciliations",
) =>
  contract({
    operationId,
    method: "POST",
    path: `/v1/matches/{id}/${verb}`,
    tag,
    summary,
    description,
    access: needs(permission),
    idempotency,
    params: byMatch,
    response: match,
    noun: "match",
    errors: ["invalid_transition", "conflict"],
  });

export const confirmMatchContract = decision(
  "confirmMatch",
  "confirm",
  "Confirm a suggested match",
  "Its lines are matched, and other suggestions with one of them are removed. Later runs " +
    "learn from it and don't change it.",
  "decide:matches",
);
export const rejectMatchContract = decision(
  "rejectMatch",
  "reject",
  "Reject a suggested match",
  "These lines aren't suggested together again.",
  "decide:matches",
);
export const undoMatchContract = decision(
  "undoMatch",
  "undo",
  "Undo a match",
  "Its lines are open again, and exceptions that it resolved are reopened. No run repeats it.",
  "write:reconciliations",
);

const filter = z.strictObject({
  reconciliation_id: reconciliationId,
  ...filters,
  score_from: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: "Only suggestions with this score or more.", example: 0.95 }),
  score_below: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: "Only suggestions with a lower score.", example: 0.99 }),
});

export const decideMatchesContract = contract({
  operationId: "decideMatches",
  method: "POST",
  path: "/v1/matches/bulk",
  tag,
  summary: "Confirm, reject or undo many matches",
  description:
    "All or none: at most 500 ids, or a filter with the number of matches that you expect, " +
    "at most 5,000. It is one decision and is undone as one. Decisions by filter don't " +
    "count towards automatic matching (earned). Undoing requires the right to write " +
    "reconciliations.",
  access: needs("decide:matches"),
  idempotency,
  body: z
    .strictObject({
      action: z.enum(MATCH_ACTIONS).meta({ example: "confirm" }),
      ids: z
        .array(matchId)
        .min(1)
        .max(BULK_MAX)
        .refine((ids) => new Set(ids).size === ids.length, "Name each match once.")
        .optional(),
      filter: filter.optional(),
      expected_count: z.int().min(0).max(FILTERED_MAX).optional().meta({ example: 12 }),
    })
    .superRefine(({ ids, filter, expected_count }, { addIssue }) => {
      if ((ids === undefined) === (filter === undefined))
        addIssue({ code: "custom", path: ["ids"], message: "Give ids, or a filter." });
      if ((filter === undefined) !== (expected_count === undefined))
        addIssue({
          code: "custom",
          path: ["expected_count"],
          message: "expected_count comes with a filter.",
        });
    }),
  response: z
    .object({
      count: z.int().meta({ example: 12 }),
      items: z.array(match).meta({ description: "The first 500." }),
    })
    .meta({ id: "MatchDecisions" }),
  noun: "match",
  errors: ["not_found", "invalid_transition", "conflict"],
});
