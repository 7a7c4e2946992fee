import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { CURRENCIES } from "../../wire/currencies.ts";
import { actor, calendarDate, id, page, pageQuery, text, time } from "../../wire/schema.ts";
import { sourceId } from "../contract.ts";

const balanceId = id("bal");
const minor = z.int().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

export const sourceBalance = z
  .object({
    id: balanceId,
    source_id: sourceId,
    currency: z.string().meta({ example: "EUR" }),
    account: z.string().nullable().meta({
      description: "The account as the file writes it. Null for a recorded balance.",
      example: "DE89370400440532013000",
    }),
    period_start: z.iso.date().nullable().meta({
      description: "First day of the statement. Null for a single balance.",
      example: "2026-10-01",
    }),
    period_end: z.iso.date().meta({
      description: "The day at whose end the account had closing_minor.",
      example: "2026-10-31",
    }),
    opening_minor: minor.nullable().meta({
      description: "At the start of period_start, with the source's own sign.",
      example: 1_000_000,
    }),
    closing_minor: minor.meta({ description: "With the source's own sign.", example: 1_187_650 }),
    import_id: id("imp").nullable().meta({ description: "The file with this balance." }),
    reason: z.string().nullable().meta({
      description: "The reason given. Null if it is from a file.",
      example: null,
    }),
    created_at: time,
    created_by: actor,
  })
  .meta({ id: "SourceBalance" });
export type SourceBalance = z.output<typeof sourceBalance>;

const tag = "Sources and lines";
const ofSource = z.strictObject({ id: sourceId });

export const listSourceBalancesContract = contract({
  operationId: "listSourceBalances",
  method: "GET",
  path: "/v1/sources/{id}/balances",
  tag,
  summary: "List the balances of a source, newest first",
  description:
    "The statements in its files, with their opening and closing balances, and balances " +
    "that were recorded individually. Periods are reconciled against them.",
  access: needs("read:reconciliations"),
  params: ofSource,
  query: z.strictObject(pageQuery),
  response: page(sourceBalance),
  errors: ["not_found"],
});

export const stateSourceBalanceContract = contract({
  operationId: "stateSourceBalance",
  method: "POST",
  path: "/v1/sources/{id}/balances",
  tag,
  summary: "Record a balance of a source",
  description:
    "For a source whose files have no balances, such as a ledger. The newest balance of a " +
    "day counts.",
  access: needs("write:reconciliations"),
  functions: ["state_source_balance", "get_source"],
  idempotency: { field: "idempotency_key", required: false },
  params: ofSource,
  body: z
    .strictObject({
      day: calendarDate.meta({
        description: "The day at whose end the account had this balance.",
        example: "2026-10-31",
      }),
      amount: z
        .string()
        .max(32)
        .optional()
        .meta({ description: "Decimal. Send this or amount_minor.", example: "11876.50" }),
      amount_minor: minor
        .optional()
        .meta({ description: "The same in the currency's minor unit.", example: 1_187_650 }),
      currency: z
        .enum(CURRENCIES)
        .optional()
        .meta({
          description: "ISO 4217. By default the source's.",
          example: "EUR",
          override: { type: "string", enum: undefined, pattern: "^[A-Z]{3}$", maxLength: 3 },
        }),
      reason: text(500).meta({ example: "Trial balance of 31 October" }),
    })
    .refine(({ amount, amount_minor }) => (amount === undefined) !== (amount_minor === undefined), {
      path: ["amount"],
      error: "Give one of amount and amount_minor.",
    })
    .meta({
      example: { day: "2026-10-31", amount: "11876.50", reason: "Trial balance of 31 October" },
    }),
  response: sourceBalance,
  resource: "versioned",
  status: 201,
  errors: ["not_found", "conflict"],
});

export const getSourceBalanceContract = contract({
  operationId: "getSourceBalance",
  method: "GET",
  path: "/v1/sources/{id}/balances/{balanceId}",
  tag,
  summary: "Get a balance of a source",
  access: needs("read:reconciliations"),
  params: ofSource.extend({ balanceId }),
  response: sourceBalance,
  resource: "versioned",
  errors: ["not_found"],
});

export const removeSourceBalanceContract = contract({
  operationId: "removeSourceBalance",
  method: "DELETE",
  path: "/v1/sources/{id}/balances/{balanceId}",
  tag,
  summary: "Remove a recorded balance",
  description: "A balance from a file is removed by undoing the import.",
  access: needs("write:reconciliations"),
  params: ofSource.extend({ balanceId }),
  response: sourceBalance,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});
