import { z } from "zod";
import { reconciliation, signatures } from "../../reconciliations/contract.ts";
import { needs } from "../../wire/access.ts";
import { contract, type Sheet, type SheetColumn } from "../../wire/contract.ts";
import { SOURCES } from "../../wire/facts.gen.ts";
import { actor, page, pageQuery, queryBoolean, text, time } from "../../wire/schema.ts";
import {
  ADJUSTMENT_KINDS,
  byReconciliation,
  currency,
  idempotency,
  lineId,
  matchId,
  reconciliationId,
  side,
  sum,
  tag,
} from "../contract.ts";

const count = z.int().min(0);

/** The sign convention of statements and proofs, also on pages and in files. */
const SIGNS =
  "A line's amount is as posted, negated if its source is `inverted`. An amount of both " +
  "sides (an adjustment, a residual, a difference) is left − right: positive if the left " +
  "side is larger.";

export const proof = z
  .object({
    items: z.array(
      z.object({
        currency,
        side,
        lines: sum.meta({
          description: "The period's lines: all up to its end that no earlier period settled.",
          example: 1_250_000,
        }),
        matched: sum,
        excluded: sum.meta({ example: 0 }),
        open: sum.meta({ example: 0 }),
        adjustments: sum.meta({
          description:
            "The part of left − right that adjustments explain, shown on the larger side: " +
            "left less right is the signed sum.",
          example: 0,
        }),
        residual: sum.meta({
          description:
            "The differences that matches keep within their tolerance, shown in the same way.",
          example: 0,
        }),
        holds: z.boolean().meta({
          description: "lines = matched + excluded + open, and the sides agree.",
          example: true,
        }),
      }),
    ),
    holds: z
      .boolean()
      .meta({ description: "False while the reconciliation is preparing.", example: true }),
  })
  .meta({ id: "Proof" });
export type Proof = z.output<typeof proof>;

export const periodProof = proof
  .extend({
    closing: z
      .object({
        digest: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .nullable()
          .meta({
            description:
              "SHA-256 over the statement, matches, exclusions and carried lines, stored at " +
              "the close and in the audit log. Null for periods that closed before there " +
              "was one.",
            example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          }),
        holds: z.boolean().nullable().meta({
          description: "Whether it is still the same. Null without a digest.",
          example: true,
        }),
      })
      .nullable()
      .meta({ description: "Null for an open period." }),
    suggestions_count: count.meta({
      description: "Unconfirmed suggestions. A close moves them to the next period.",
      example: 4,
    }),
    open_exceptions: count.meta({
      description:
        "Open exceptions of lines past their grace. A close moves them with their lines.",
      example: 3,
    }),
    days_until_over: count.meta({
      description: "Days until the period is over in its sources' time zones; 0 once it is.",
      example: 0,
    }),
  })
  .meta({ id: "PeriodProof" });
export type PeriodProof = z.output<typeof periodProof>;

export const getProofContract = contract({
  operationId: "getProof",
  method: "GET",
  path: "/v1/reconciliations/{id}/proof",
  tag,
  summary: "Get the proof that no cent is missing",
  description:
    "Per currency and side in minor units, summed from the lines themselves, with the signs " +
    "of the statement. For a closed period as of its close, with `closing` saying whether " +
    "it is still the same.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  response: periodProof,
  resource: "unversioned",
  errors: ["not_found", "conflict"],
});

/** The fields that identify a line on a statement. */
const lineWords = {
  reference: z.string().nullable().meta({ example: "RG-2026-4711" }),
  counterparty: z.string().nullable().meta({ example: "Kunde 17 GmbH" }),
  description: z.string().nullable().meta({ example: null }),
};
const valueDate = z.iso.date().meta({ example: "2026-10-29" });

export const outstandingLine = z
  .object({
    line_id: lineId,
    side,
    value_date: valueDate,
    age_days: z.int().meta({ description: "At the end of the period.", example: 2 }),
    currency,
    open_minor: z.int().meta({ example: 125_000 }),
    ...lineWords,
  })
  .meta({ id: "OutstandingLine" });
export type OutstandingLine = z.output<typeof outstandingLine>;

const statementAdjustment = z.object({
  match_id: matchId,
  currency,
  kind: z.enum(ADJUSTMENT_KINDS).meta({ example: "fee" }),
  amount_minor: z
    .int()
    .meta({ description: "The part of left − right that it explains.", example: -250 }),
  note: z.string().nullable().meta({ example: "Card fee of October" }),
  decided_by: actor.nullable(),
  decided_at: time.optional(),
});
export type StatementAdjustment = z.output<typeof statementAdjustment>;

const statementResidual = z
  .object({
    match_id: matchId,
    line_id: lineId.meta({ description: "The largest line of the match." }),
    value_date: valueDate,
    currency,
    amount_minor: z
      .int()
      .meta({ description: "The difference left − right that the match keeps.", example: 35 }),
    ...lineWords,
    reason: z.string().meta({
      description: "The rule whose tolerance allows it.",
      example: "Near amounts",
    }),
    decided_by: actor
      .nullable()
      .meta({ description: "Who confirmed the match. Null: a run.", example: "user:ada" }),
    decided_at: time,
  })
  .meta({ id: "StatementResidual" });
export type StatementResidual = z.output<typeof statementResidual>;

const statementExclusion = z
  .object({
    line_id: lineId,
    side,
    value_date: valueDate,
    currency,
    amount_minor: z.int().meta({ description: "The excluded part of the line.", example: -1490 }),
    ...lineWords,
    reason: z.string().meta({ example: "Account fee, booked by the quarter" }),
    decided_by: actor.meta({ description: "Who excluded it.", example: "user:ada" }),
    decided_at: time,
  })
  .meta({ id: "StatementExclusion" });
export type StatementExclusion = z.output<typeof statementExclusion>;

const ROW_KINDS = [
  "balance",
  "outstanding",
  "adjustment",
  "residual",
  "exclusion",
  "match",
] as const;

/** A row of the exported statement: one flat table with all of its parts. */
export const statementRow = z.object({
  kind: z.enum(ROW_KINDS).meta({ example: "exclusion" }),
  item: z.string().nullable().meta({ example: null }),
  currency,
  side: side.nullable(),
  amount: z.string().max(40).meta({
    description: "The same in the currency's own unit, with its decimals.",
    example: "-14.90",
  }),
  amount_minor: sum.meta({ example: -1490 }),
  value_date: valueDate.nullable(),
  age_days: z.int().nullable().meta({ example: null }),
  line_id: lineId.nullable(),
  match_id: matchId.nullable().meta({ example: null }),
  ...lineWords,
  reason: z.string().nullable().meta({ example: "Account fee, booked by the quarter" }),
  decided_by: actor.nullable(),
  decided_at: time.nullable(),
});
export type StatementRow = z.output<typeof statementRow>;

const CURRENCY: SheetColumn = { name: "Currency", field: "currency", width: 10 };
const SIDE: SheetColumn = { name: "Source", field: "side", width: 20, as: "side" };
const AMOUNT: SheetColumn = { name: "Amount", field: "amount_minor", width: 18, as: "money" };
const VALUE_DATE: SheetColumn = { name: "Value date", field: "value_date", width: 12, as: "day" };
const LINE_LABELS: SheetColumn[] = [
  { name: "Reference", field: "reference", width: 24 },
  { name: "Counterparty", field: "counterparty", width: 28 },
  { name: "Description", field: "description", width: 36 },
];
const DECIDED: SheetColumn[] = [
  { name: "Decided by", field: "decided_by", width: 20, as: "actor" },
  { name: "Decided at (UTC)", field: "decided_at", width: 18, as: "time" },
];
const LINE_ID: SheetColumn = { name: "Line ID", field: "line_id", width: 38 };
const MATCH_ID: SheetColumn = { name: "Match ID", field: "match_id", width: 38 };
const named = (name: string, field: keyof StatementRow, as?: "word" | "method"): SheetColumn => ({
  name,
  field,
  width: 28,
  as,
});

const STATEMENT_SHEETS: Sheet[] = [
  {
    name: "Balances",
    kind: "balance",
    columns: [named("Balance", "item", "word"), SIDE, CURRENCY, AMOUNT],
  },
  {
    name: "Outstanding",
    kind: "outstanding",
    columns: [
      { name: "Kind", field: "item", width: 12, as: "word" },
      VALUE_DATE,
      { name: "Days", field: "age_days", width: 8 },
      SIDE,
      CURRENCY,
      AMOUNT,
      ...LINE_LABELS,
      LINE_ID,
    ],
  },
  {
    name: "Adjustments",
    kind: "adjustment",
    columns: [
      named("Adjustment", "item", "word"),
      CURRENCY,
      AMOUNT,
      named("Note", "reason"),
      ...DECIDED,
      MATCH_ID,
    ],
  },
  {
    name: "Exclusions",
    kind: "exclusion",
    columns: [
      VALUE_DATE,
      SIDE,
      CURRENCY,
      AMOUNT,
      ...LINE_LABELS,
      named("Reason", "reason"),
      ...DECIDED,
      LINE_ID,
    ],
  },
  {
    name: "Residuals",
    kind: "residual",
    columns: [
      VALUE_DATE,
      CURRENCY,
      AMOUNT,
      ...LINE_LABELS,
      named("Rule", "reason"),
      ...DECIDED,
      LINE_ID,
      MATCH_ID,
    ],
  },
  {
    name: "Matches",
    kind: "match",
    columns: [
      named("Rule", "item", "method"),
      VALUE_DATE,
      SIDE,
      CURRENCY,
      AMOUNT,
      ...LINE_LABELS,
      named("Note", "reason"),
      ...DECIDED,
      LINE_ID,
      MATCH_ID,
    ],
    optional: true,
  },
];

const sourceKind = z.enum(SOURCES.kind).optional();
const itemised = "The first 1,000 in this period. The export has all.";
const since = "Absent from statements that closed before items were listed.";

export const statement = z
  .object({
    reconciliation_id: reconciliationId,
    name: z.string().meta({ example: "Bank, October" }),
    period_start: z.iso.date().meta({ example: "2026-10-01" }),
    period_end: z.iso.date().meta({ example: "2026-10-31" }),
    left_source: z.string().meta({ example: "Bank" }),
    right_source: z.string().meta({ example: "Ledger" }),
    left_kind: sourceKind.meta({ example: "bank_statement" }),
    right_kind: sourceKind,
    as_of: time,
    closed_at: time.nullable(),
    closed_by: actor.nullable(),
    balances: z.array(
      z.object({
        currency,
        side,
        opening_minor: sum.meta({ description: "All lines before the period.", example: 0 }),
        lines_minor: sum.meta({ description: "Lines of the period.", example: 1_250_000 }),
        line_count: count.meta({ example: 5000 }),
        closing_minor: sum,
        outstanding_minor: sum.meta({
          description: "The open amount at its end.",
          example: 125_000,
        }),
        excluded_minor: sum.meta({ example: 0 }),
        stated_opening_minor: sum
          .nullable()
          .optional()
          .meta({
            description:
              "The source's balance at the start of the period: from a file or recorded, " +
              "carried forward by the lines booked since. Null if there is none.",
            example: 0,
          }),
        stated_closing_minor: sum.nullable().optional().meta({
          description: "The same for the end of the period.",
          example: 1_250_000,
        }),
        stated_on: z.iso.date().nullable().optional().meta({
          description: "The day of the balance it is computed from.",
          example: "2026-10-31",
        }),
        timing_minor: sum
          .nullable()
          .optional()
          .meta({
            description:
              "Booked by the end of the period with a later value date, less those " +
              "value-dated by then and booked later.",
            example: 0,
          }),
        unaccounted_minor: sum
          .nullable()
          .optional()
          .meta({
            description:
              "How much the balance changes beyond the lines booked in the period, for " +
              "example because lines are missing.",
            example: 0,
          }),
      }),
    ),
    differences: z.array(
      z.object({
        currency,
        adjustments_minor: sum.meta({ example: -250 }),
        residual_minor: sum.meta({ example: 0 }),
        difference_minor: sum.meta({
          description: "The unexplained difference. 0 in a statement that can be signed.",
          example: 0,
        }),
        unexplained_minor: sum
          .nullable()
          .optional()
          .meta({
            description:
              "The unexplained difference of the two balances, including their difference " +
              "before the first line. Null without one of them.",
            example: 0,
          }),
      }),
    ),
    aging: z.array(
      z.object({
        currency,
        side,
        days_from: z.int().meta({ description: "0, 8, 31, 61 or 91.", example: 0 }),
        line_count: count,
        open_minor: sum,
        receipt_count: count.optional().meta({ description: "Lines above zero." }),
        receipt_minor: sum
          .optional()
          .meta({ description: "Their sum: in a ledger, deposits in transit." }),
        payment_count: count.optional().meta({ description: "Lines below zero." }),
        payment_minor: sum.optional().meta({
          description: "Their sum: in a ledger, outstanding payments.",
          example: 0,
        }),
      }),
    ),
    outstanding_count: count.meta({ example: 17 }),
    outstanding: z
      .array(outstandingLine)
      .meta({ description: "The largest amounts, at most 250. The export has all." }),
    adjustment_count: count.optional().meta({ description: since, example: 1 }),
    adjustments: z.array(statementAdjustment).meta({ description: itemised }),
    residual_count: count.optional().meta({ description: since, example: 1 }),
    residuals: z.array(statementResidual).optional().meta({ description: itemised }),
    exclusion_count: count.optional().meta({ description: since, example: 1 }),
    exclusions: z.array(statementExclusion).optional().meta({ description: itemised }),
    evidence: z
      .object({
        count: count.meta({ example: 3 }),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .meta({
            description: "The hash of all hashes in the bundle's evidence.ndjson.",
            example: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          }),
      })
      .optional()
      .meta({
        id: "StatementEvidence",
        description: "The files of evidence that a signed statement lists. Absent before a close.",
      }),
    entries: z
      .object({
        count: count.meta({ example: 12 }),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .meta({
            description: "The hash of all hashes in the bundle's entries.ndjson.",
            example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          }),
      })
      .optional()
      .meta({
        id: "StatementEntries",
        description: "The entries that its close created for the ledger. Absent without entries.",
      }),
    proof,
  })
  .meta({ id: "ReconciliationStatement" });
export type Statement = z.output<typeof statement>;

export const getStatementContract = contract({
  operationId: "getStatement",
  method: "GET",
  path: "/v1/reconciliations/{id}/statement",
  tag,
  summary: "Get the reconciliation statement",
  description:
    "Balances of both sides, outstanding items by age, adjustments, residuals, exclusions, and " +
    "the difference. The sums in `balances` and `differences` include all periods up to this " +
    "one; the items are this period's. For a closed period as of its close. While the " +
    "reconciliation is preparing, missing lines are part of the difference.\n\n" +
    SIGNS,
  access: needs("read:reconciliations"),
  params: byReconciliation,
  response: statement,
  errors: ["not_found", "conflict"],
  exported: {
    summary: "Export a statement",
    description:
      "The whole statement as one table; for a closed period it never changes. `kind` is the " +
      "kind of row: `balance` (`item` names the sum), `outstanding` (`item` is receipt or payment), " +
      "`adjustment` (`item` is its kind), `residual`, `exclusion`, and with `matches` also `match`, a row for each " +
      "line of a match (`item` is the rule, or manual). `amount` is in major units and " +
      "`amount_minor` in minor units; without a side they are left − right.\n\n" +
      "A workbook (`xlsx`) has a sheet per kind, with amounts in major units. Amounts of more " +
      "than 15 digits, which a spreadsheet would round, are text.",
    columns: Object.keys(statementRow.shape),
    amounts: ["amount", "amount_minor"],
    item: statementRow,
    workbook: STATEMENT_SHEETS,
    query: {
      matches: queryBoolean
        .optional()
        .meta({ description: "Also the lines of every match of the period." }),
    },
    functions: [
      "get_statement",
      "list_statement_items",
      "get_reconciliation",
      "list_signed_statements",
    ],
  },
});

export const signature = z
  .object({
    number: z.int().min(1).meta({ description: "1 for the first close.", example: 1 }),
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable()
      .meta({
        description:
          "The `closing.digest` of the proof at the close. Null for periods that closed " +
          "before there was one.",
        example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      }),
    closed_by: actor.meta({ example: "user:ada" }),
    closer_issuer: z.string().nullable().meta({
      description: "The issuer of the token of the person who closed. Null for older closes.",
      example: "https://id.example.com",
    }),
    closer_subject: z.string().nullable().meta({
      description: "The subject of that token.",
      example: "248289761001",
    }),
    closed_at: time,
    signatures: signatures
      .default([])
      .meta({ description: "Who prepared and reviewed it.", example: [] }),
    reopened_at: time.nullable().meta({
      description: "Null while this statement is in force.",
      example: null,
    }),
    reopened_by: actor.nullable().meta({ example: null }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why the period was reopened.", example: null }),
  })
  .meta({ id: "StatementSignature" });
export type Signature = z.output<typeof signature>;

export const listSignedStatementsContract = contract({
  operationId: "listSignedStatements",
  method: "GET",
  path: "/v1/reconciliations/{id}/statements",
  tag,
  summary: "List a period's signed statements, newest first",
  description:
    "Each close signs one, with the next number. Reopening the period keeps it and says who " +
    "reopened it, when and why.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  query: z.strictObject(pageQuery),
  response: page(signature),
  errors: ["not_found", "conflict"],
});

export const signedStatement = signature.extend({ statement }).meta({ id: "SignedStatement" });
export type SignedStatement = z.output<typeof signedStatement>;

export const bySignedStatement = byReconciliation.extend({
  number: z.coerce.number().int().min(1).max(2_147_483_647).meta({ example: 1 }),
});

export const getSignedStatementContract = contract({
  operationId: "getSignedStatement",
  method: "GET",
  path: "/v1/reconciliations/{id}/statements/{number}",
  tag,
  summary: "Get a signed statement",
  description: "The statement as of this close.",
  resource: "unversioned",
  access: needs("read:reconciliations"),
  params: bySignedStatement,
  response: signedStatement,
  errors: ["not_found", "conflict"],
});

const person = "Only people close and reopen, never API keys.";

export const closeReconciliationContract = contract({
  operationId: "closeReconciliation",
  method: "POST",
  path: "/v1/reconciliations/{id}/close",
  tag,
  summary: "Close a period",
  description:
    "Requires that all lines are added (preparing is false), the proof holds, the statement " +
    "has no difference, and earlier periods are closed; with four_eyes, a person who didn't " +
    "work in this period. Lines that arrive during the close belong to the next period. " +
    "Unconfirmed suggestions and open exceptions move with their lines to the next open " +
    "period, or to the next one that is created. Afterwards nothing in the period changes.\n\n" +
    "If its sources have more than 20,000 lines, the call returns at once with closing true. " +
    "Poll until it is false: then the period is closed, or closing_failure says why not. The " +
    "event reconciliation.closed follows the close. After a failure, close it again with a new " +
    `Idempotency-Key. ${person}`,
  access: needs("close:reconciliations"),
  idempotency,
  params: byReconciliation,
  response: reconciliation,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});

export const reopenReconciliationContract = contract({
  operationId: "reopenReconciliation",
  method: "POST",
  path: "/v1/reconciliations/{id}/reopen",
  tag,
  summary: "Reopen a closed period",
  description:
    "Later periods must be open. Its matches and signed statement are kept, and the next close " +
    "signs another one. Suggestions and exceptions of its lines that nobody decided since the " +
    `close return. ${person}`,
  access: needs("close:reconciliations"),
  idempotency,
  params: byReconciliation,
  body: z.strictObject({ reason: text(1000).meta({ example: "A statement page was missing" }) }),
  response: reconciliation,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});
