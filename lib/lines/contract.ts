import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { CURRENCIES } from "../wire/currencies.ts";
import {
  actor,
  calendarDate,
  id,
  page,
  pageQuery,
  queryInteger,
  text,
  time,
  timestamp,
} from "../wire/schema.ts";

export const LINE_STATES = ["open", "partly_matched", "matched", "excluded"] as const;
/** The values of the state filter. */
export const LINE_FILTER_STATES = [...LINE_STATES, "outstanding"] as const;
export const LINES_MAX = 1_000;
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER;
const DETAILS_MAX_BYTES = 16_384;

const trimmedText = (max: number) => z.string().trim().min(1).max(max);
const amountMinor = z.int().min(-AMOUNT_MAX).max(AMOUNT_MAX);
const currency = z.enum(CURRENCIES).meta({
  example: "EUR",
  override: { type: "string", enum: undefined, pattern: "^[A-Z]{3}$", maxLength: 3 },
});
const details = z.record(z.string(), z.unknown());

/** The text fields of a line, with their maximum lengths. */
const texts = {
  external_id: trimmedText(200).meta({
    description: "The line's own ID. A line sent again with it is a duplicate.",
    example: "txn_4711",
  }),
  reference: trimmedText(500).meta({ example: "RG-2026-4711" }),
  counterparty: trimmedText(500).meta({ example: "Kunde 17 GmbH" }),
  description: trimmedText(4_000).meta({ example: "Invoice 4711, thank you" }),
  group_key: trimmedText(200).meta({
    description: "The same for all lines of a batch, for example a payout's number.",
    example: "po_12",
  }),
};

const newLine = z
  .strictObject({
    external_id: texts.external_id.optional(),
    amount: z.string().max(32).optional().meta({
      description:
        "Decimal: money in without a sign, money out with a minus. Send this or amount_minor.",
      example: "-12.50",
    }),
    amount_minor: amountMinor
      .optional()
      .meta({ description: "The same in the currency's minor unit.", example: -1250 }),
    fee: z
      .string()
      .max(32)
      .optional()
      .meta({
        description:
          "Decimal: the fee deducted from the amount, so amount − fee was paid out. Negative: " +
          "a refunded fee.",
        example: "2.90",
      }),
    fee_minor: amountMinor
      .optional()
      .meta({ description: "The same in the currency's minor unit.", example: 290 }),
    currency: currency.optional().meta({ description: "ISO 4217. By default the source's." }),
    value_date: calendarDate.meta({ example: "2026-10-05" }),
    booked_date: calendarDate.optional().meta({ example: "2026-10-05" }),
    reference: texts.reference.optional(),
    counterparty: texts.counterparty.optional(),
    description: texts.description.optional(),
    group_key: texts.group_key.optional(),
    details: details
      .refine(
        (value) => new TextEncoder().encode(JSON.stringify(value)).length <= DETAILS_MAX_BYTES,
        "At most 16 kB of JSON.",
      )
      .optional()
      .meta({ description: "Other data, at most 16 kB.", example: { channel: "web" } }),
  })
  .refine((line) => (line.amount === undefined) !== (line.amount_minor === undefined), {
    path: ["amount"],
    error: "Give one of amount and amount_minor.",
  })
  .refine((line) => line.fee === undefined || line.fee_minor === undefined, {
    path: ["fee"],
    error: "Give one of fee and fee_minor.",
  })
  .meta({
    id: "NewLine",
    example: {
      external_id: "txn_4711",
      amount: "-12.50",
      value_date: "2026-10-05",
      reference: "RG-2026-4711",
    },
  });
export type NewLine = z.output<typeof newLine>;

const lineId = id("lin");
const sourceId = id("src");
const importId = id("imp");
const state = z.enum(LINE_STATES);

export const line = z
  .object({
    id: lineId,
    source_id: sourceId,
    import_id: importId.nullable(),
    file_line: z.int().nullable().meta({ description: "Line of the imported file.", example: 118 }),
    external_id: z.string().nullable().meta({ example: "txn_4711" }),
    amount_minor: amountMinor.meta({
      description: "The signed amount, as posted.",
      example: -1250,
    }),
    fee_minor: amountMinor.nullable().meta({
      description: "The fee deducted from it: amount − fee was paid out.",
      example: null,
    }),
    currency: z.string().meta({ example: "EUR" }),
    value_date: z.iso.date().meta({ example: "2026-10-05" }),
    booked_date: z.iso.date().nullable().meta({ example: "2026-10-05" }),
    reference: z.string().nullable().meta({ example: "RG-2026-4711" }),
    counterparty: z.string().nullable().meta({ example: "Kunde 17 GmbH" }),
    description: z.string().nullable().meta({ example: "Invoice 4711, thank you" }),
    group_key: z.string().nullable().meta({ example: null }),
    details: details.meta({
      description: "Other data in the file or request.",
      example: { bank_reference: "NONREF" },
    }),
    state: state.meta({
      description: "Its state in the requested reconciliation, otherwise where most of it is open.",
      example: "open",
    }),
    open_minor: amountMinor.meta({
      description: "The amount not matched yet, with the sign of the amount.",
      example: -1250,
    }),
    match_ids: z
      .array(id("mat"))
      .meta({ description: "The number of confirmed matches with it.", example: [] }),
    exception_id: id("exc").nullable().meta({
      description: "Its open exception. Lines in the same suggestion share one.",
      example: null,
    }),
    created_at: time,
  })
  .meta({ id: "Line" });
export type Line = z.output<typeof line>;

const tag = "Sources and lines";

export const addLinesContract = contract({
  operationId: "addLines",
  method: "POST",
  path: "/v1/sources/{id}/lines",
  tag,
  summary: "Add lines to a source",
  description:
    "Existing lines are duplicates and change nothing. They are recognised by external_id, " +
    "or by content and position among equal lines of the call. One invalid line rejects the " +
    "whole call.",
  showsResource: false,
  access: needs("write:reconciliations"),
  functions: ["add_lines", "get_source"],
  idempotency: { field: "idempotency_key", required: false },
  params: z.strictObject({ id: sourceId }),
  body: z.strictObject({ lines: z.array(newLine).min(1).max(LINES_MAX) }),
  response: z
    .object({
      accepted_count: z.int().min(0).meta({ example: 1 }),
      duplicate_count: z.int().min(0).meta({ example: 0 }),
      items: z.array(
        z.object({
          index: z
            .int()
            .min(0)
            .meta({ description: "Position in the request, from 0.", example: 0 }),
          id: lineId,
          duplicate: z.boolean().meta({ example: false }),
        }),
      ),
    })
    .meta({ id: "AddedLines" }),
  errors: ["conflict"],
});

const day = (which: string) =>
  calendarDate.optional().meta({ description: `Only value dates ${which}.` });
const amount = (which: string) =>
  queryInteger(-AMOUNT_MAX, AMOUNT_MAX)
    .optional()
    .meta({ description: `Only amounts ${which}, signed, in minor units.`, example: -1250 });

export const listLinesContract = contract({
  operationId: "listLines",
  method: "GET",
  path: "/v1/lines",
  tag,
  summary: "List lines, latest value date first",
  access: needs("read:reconciliations"),
  query: z
    .strictObject({
      ...pageQuery,
      source_id: sourceId.optional(),
      reconciliation_id: id("rcn")
        .optional()
        .meta({ description: "Only lines that it settled or that are open in it." }),
      side: z
        .enum(["left", "right"])
        .optional()
        .meta({ description: "The side of the reconciliation.", example: "left" }),
      import_id: importId.optional(),
      state: z.enum(LINE_FILTER_STATES).optional().meta({
        description: "outstanding: open and partly matched. In a closed period: as of its close.",
        example: "outstanding",
      }),
      currency: currency.optional(),
      date_from: day("from this day on"),
      date_to: day("to this day"),
      amount_from: amount("from this on"),
      amount_to: amount("up to this"),
      updated_since: timestamp.optional().meta({
        description:
          "Only lines that arrived, or whose match, exclusion or exception changed, at or " +
          "after this time. Use the time of your last call, less ten minutes for calls in " +
          "progress.",
        example: "2026-11-20T09:30:00.000Z",
      }),
      q: text(200)
        .optional()
        .meta({
          description:
            "Words, or parts of words, in reference, counterparty, description or " +
            "external_id, or an amount such as 12.50 or -12.50.",
          example: "4711",
        }),
    })
    .refine(
      ({ side, reconciliation_id }) => side === undefined || reconciliation_id !== undefined,
      {
        path: ["side"],
        error: "A side is a reconciliation's: give reconciliation_id, too.",
      },
    ),
  response: page(line),
  errors: ["not_found"],
});

export const getLineContract = contract({
  operationId: "getLine",
  method: "GET",
  path: "/v1/lines/{id}",
  tag,
  summary: "Get a line",
  access: needs("read:reconciliations"),
  params: z.strictObject({ id: lineId }),
  response: line,
  resource: "unversioned",
});

export const LINE_EVENTS = [
  "added",
  "suggested",
  "matched",
  "confirmed",
  "rejected",
  "undone",
  "excluded",
  "included",
  "exception_opened",
  "exception_resolved",
  "exception_dismissed",
] as const;

const lineEvent = z
  .object({
    type: z.enum(LINE_EVENTS).meta({
      description: "matched: by a run or manually. undone: a match or a decision was undone.",
      example: "matched",
    }),
    at: time,
    actor: actor.nullable().meta({ description: "system: a run. Null if it isn't recorded here." }),
    reconciliation_id: id("rcn").nullable(),
    match_id: id("mat").nullable(),
    exception_id: id("exc").nullable().meta({ example: null }),
    import_id: importId.nullable().meta({ example: null }),
    note: z
      .string()
      .nullable()
      .meta({
        description:
          "The name of the file or rule, the reason for an exclusion or exception, or a " +
          "resolution.",
        example: "Same reference",
      }),
  })
  .meta({ id: "LineEvent" });
export type LineEvent = z.output<typeof lineEvent>;

export const listLineHistoryContract = contract({
  operationId: "listLineHistory",
  method: "GET",
  path: "/v1/lines/{id}/history",
  tag,
  summary: "List a line's history",
  description:
    "The latest 200 changes, oldest first: its arrival, matches created and undone, " +
    "exclusions and exceptions, each with who did it.",
  access: needs("read:reconciliations"),
  params: z.strictObject({ id: lineId }),
  response: z.object({ items: z.array(lineEvent) }).meta({ id: "LineHistory" }),
  errors: ["not_found"],
});
