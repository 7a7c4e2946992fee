import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { CURRENCIES } from "../../wire/currencies.ts";
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
} from "../../wire/schema.ts";
import {
  byReconciliation,
  currency,
  idempotency,
  lineId,
  match,
  matchId,
  reconciliationId,
  side,
  tag,
} from "../contract.ts";

export const DECISIONS = ["confirm", "reject", "match", "exclude"] as const;
export const OPEN_LINE_SORTS = ["value_date", "amount"] as const;
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER;

export const openLine = z
  .object({
    id: lineId,
    side,
    currency,
    amount_minor: z
      .int()
      .meta({ description: "Negated if the source is inverted.", example: -125_000 }),
    open_minor: z.int().meta({
      description: "The amount not matched yet, with the sign of the amount.",
      example: -125_000,
    }),
    fee_minor: z
      .int()
      .nullable()
      .meta({
        description:
          "The fee deducted from it, with the same sign rule. Null without a fee, and after " +
          "part of the line is matched.",
        example: null,
      }),
    value_date: z.iso.date().meta({ example: "2026-10-05" }),
    booked_date: z.iso.date().nullable().meta({ example: "2026-10-05" }),
    reference: z.string().nullable().meta({ example: "RG-2026-4711" }),
    counterparty: z.string().nullable().meta({ example: "Kunde 17 GmbH" }),
    description: z.string().nullable().meta({ example: "Invoice 4711, thank you" }),
    group_key: z.string().nullable().meta({ example: null }),
    external_id: z.string().nullable().meta({ example: "txn_4711" }),
    suggestion: z
      .object({ match_id: matchId, score: match.shape.score, shape: match.shape.shape })
      .nullable()
      .meta({ description: "The best suggested match with this line." }),
    exception_id: id("exc").nullable().meta({ description: "Its open exception.", example: null }),
  })
  .meta({ id: "OpenLine" });
export type OpenLine = z.output<typeof openLine>;

const amount = (which: string) =>
  queryInteger(-AMOUNT_MAX, AMOUNT_MAX)
    .optional()
    .meta({
      description: `Only open amounts ${which}, signed, in minor units.`,
      example: -125_000,
    });
const day = (which: string) =>
  calendarDate.optional().meta({ description: `Only value dates ${which}.` });

export const listOpenLinesContract = contract({
  operationId: "listOpenLines",
  method: "GET",
  path: "/v1/reconciliations/{id}/open-lines",
  tag,
  summary: "List a period's open lines",
  description:
    "Lines to work through, oldest or largest first, each with its best suggestion. Empty " +
    "once the period is closed.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  query: z.strictObject({
    ...pageQuery,
    side: side.optional(),
    sort: z.enum(OPEN_LINE_SORTS).default("value_date").meta({ example: "amount" }),
    currency: z
      .enum(CURRENCIES)
      .optional()
      .meta({
        example: "EUR",
        override: { type: "string", enum: undefined, pattern: "^[A-Z]{3}$", maxLength: 3 },
      }),
    date_from: day("from this day on"),
    date_to: day("to this day"),
    amount_from: amount("from this on"),
    amount_to: amount("up to this"),
    suggested: queryBoolean
      .optional()
      .meta({ description: "Only lines with a suggested match, or only those without." }),
    q: text(200)
      .optional()
      .meta({
        description:
          "Words, or parts of words, in reference, counterparty, description or " +
          "external_id, or an amount such as 12.50 or -12.50.",
        example: "4711",
      }),
  }),
  response: page(openLine),
  errors: ["not_found", "conflict"],
});

export const decision = z
  .object({
    id: id("dec"),
    reconciliation_id: reconciliationId,
    action: z.enum(DECISIONS).meta({ description: "match: a manual match.", example: "confirm" }),
    match_count: z
      .int()
      .min(0)
      .meta({ description: "More than one for a bulk decision.", example: 1 }),
    match_ids: z.array(matchId).meta({ description: "The first 500." }),
    line_id: lineId.nullable().meta({ description: "For an exclusion: the line.", example: null }),
    created_at: time,
    created_by: actor,
    undone_at: time.nullable().meta({ example: null }),
    undone_by: actor.nullable().meta({ example: null }),
  })
  .meta({ id: "Decision" });
export type Decision = z.output<typeof decision>;

export const listDecisionsContract = contract({
  operationId: "listDecisions",
  method: "GET",
  path: "/v1/reconciliations/{id}/decisions",
  tag,
  summary: "List decisions in a period, newest first",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  query: z.strictObject(pageQuery),
  response: page(decision),
  errors: ["not_found", "conflict"],
});

export const undoDecisionContract = contract({
  operationId: "undoDecision",
  method: "POST",
  path: "/v1/decisions/{id}/undo",
  tag,
  summary: "Undo a decision",
  description:
    "All or nothing: confirmed and rejected matches are suggested again, a manual match is " +
    "undone, an excluded line is open again. Others' decisions, manual matches and " +
    "exclusions require the right to write reconciliations.",
  access: needs("decide:matches"),
  idempotency,
  params: z.strictObject({ id: id("dec") }),
  response: decision,
  noun: "decision",
  errors: ["conflict"],
});
