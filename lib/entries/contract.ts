import { z } from "zod";
import { reconciliationId } from "../matching/contract.ts";
import { needs } from "../wire/access.ts";
import { contract, type SheetColumn } from "../wire/contract.ts";
import {
  actor,
  id,
  page,
  pageQuery,
  queryChoices,
  queryInteger,
  text,
  time,
} from "../wire/schema.ts";
import {
  draft,
  ENTRY_FILE_FORMATS,
  entrySums,
  FORMAT_FILES,
  type PushFormat,
  tag,
} from "./rules/contract.ts";

export const ENTRY_BATCH_STATES = ["ready", "exported"] as const;

/** In a list, each batch names all of its files. */
export const PUSHED_FILES_MAX = 1000;

const PUSH_STATES = ["waiting", "done", "failed", "stopped"] as const;

const batchId = id("bat");
const digest = z
  .string()
  .max(64)
  .regex(/^[0-9a-f]{64}$/);
const state = z.enum(ENTRY_BATCH_STATES).meta({ example: "ready" });

export const entryBatch = z
  .object({
    id: batchId,
    number: z
      .string()
      .regex(/^\d{4}-\d{4,}$/)
      .max(16)
      .meta({
        description: "The year of posting_date and a number, without gaps per tenant and year.",
        example: "2026-0012",
      }),
    state,
    reconciliation_id: reconciliationId,
    reconciliation_name: z.string().meta({ example: "Bank, October" }),
    statement_number: z
      .int()
      .min(1)
      .meta({ description: "The signed statement of the same close.", example: 1 }),
    posting_date: z.iso
      .date()
      .meta({ description: "The last day of the period.", example: "2026-10-31" }),
    entry_count: z.int().min(1).meta({ description: "Including reversals.", example: 12 }),
    reversal_count: z
      .int()
      .min(0)
      .meta({ description: "Entries that reverse an entry of an earlier batch.", example: 0 }),
    sums: entrySums,
    digest: digest.meta({
      description: "The hash of the entries; entries.sha256 in the signed statement.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    closing_digest: digest.nullable().meta({
      description: "The digest of the signed statement.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    created_at: time,
    created_by: actor,
    exported_at: time
      .nullable()
      .meta({ description: "When it was marked as exported.", example: null }),
    exported_by: actor.nullable().meta({ description: "Who marked it.", example: null }),
    ledger_reference: z
      .string()
      .max(200)
      .nullable()
      .meta({ description: "The ledger's reference for it.", example: null }),
    push: z
      .object({
        state: z.enum(PUSH_STATES).meta({
          description: "failed is retried, stopped is not.",
          example: "done",
        }),
        at: time,
        error: z.string().max(1000).nullable().meta({
          description: "Why the last attempt failed.",
          example: null,
        }),
        files: z
          .array(z.string().max(255))
          .max(PUSHED_FILES_MAX)
          .meta({ description: "Their names.", example: ["xero-manual-journals-2026-0012.csv"] }),
      })
      .meta({ id: "EntryPush" })
      .nullable()
      .meta({ description: "Null: the rules have no push." }),
  })
  .meta({ id: "EntryBatch" });
export type EntryBatch = z.output<typeof entryBatch>;

/** A file of a batch's entries in one currency, for a ledger that takes this format. */
export type BatchFile = {
  batch: Pick<EntryBatch, "number" | "sums">;
  currency: string;
  format: PushFormat;
};

/**
 * The number of entries in the file's currency, and the number of files of this format that they
 * need.
 */
export function partsOf({ batch, currency, format }: BatchFile): { count: number; parts: number } {
  const count = batch.sums.find((sum) => sum.currency === currency)?.entry_count ?? 0;
  return { count, parts: Math.max(1, Math.ceil(count / FORMAT_FILES[format].maxEntries)) };
}

/** Names the currency if the batch has several, and the part if the currency has several. */
export function fileNameOf(file: BatchFile, part = 1): string {
  const { prefix, extension } = FORMAT_FILES[file.format];
  const currency = file.batch.sums.length > 1 ? `-${file.currency}` : "";
  const suffix = partsOf(file).parts > 1 ? `${currency}-${part}` : currency;
  return `${prefix}${file.batch.number}${suffix}.${extension}`;
}

export const entry = z
  .object({
    id: id("ent"),
    place: z.int().min(1).meta({ description: "Its position in the batch.", example: 1 }),
    ...draft,
    reverses: z
      .string()
      .regex(/^\d{4}-\d{4,}\/\d+$/)
      .max(28)
      .nullable()
      .meta({
        description: "The batch and position of the entry that it reverses.",
        example: null,
      }),
  })
  .meta({ id: "Entry" });
export type Entry = z.output<typeof entry>;

const byBatch = z.strictObject({ id: batchId });
const currency = z
  .string()
  .length(3)
  .regex(/^[A-Z]{3}$/, "Must be an ISO 4217 code, for example EUR.")
  .optional()
  .meta({ description: "Only entries in this currency.", example: "EUR" });

export const listEntryBatchesContract = contract({
  operationId: "listEntryBatches",
  method: "GET",
  path: "/v1/entry-batches",
  tag,
  summary: "List entry batches, newest first",
  access: needs("read:reconciliations"),
  query: z.strictObject({
    ...pageQuery,
    state: state.optional(),
    year: queryInteger(1, 9999)
      .optional()
      .meta({ description: "Only batches posted in this year.", example: 2026 }),
    reconciliation_id: reconciliationId.optional(),
  }),
  response: page(entryBatch),
});

export const getEntryBatchContract = contract({
  operationId: "getEntryBatch",
  method: "GET",
  path: "/v1/entry-batches/{id}",
  tag,
  summary: "Get an entry batch",
  access: needs("read:reconciliations"),
  params: byBatch,
  response: entryBatch,
  resource: "unversioned",
  noun: "entry batch",
});

/** Columns of a file by template, in the order of a query. */
const exportedEntry = z.object({
  batch_number: entryBatch.shape.number,
  posting_date: entryBatch.shape.posting_date,
  ...entry.shape,
  amount: z
    .string()
    .max(40)
    .meta({ description: "In the currency's own unit, with its decimals.", example: "2.50" }),
});
export type ExportedEntry = z.output<typeof exportedEntry>;

export const ENTRY_COLUMNS = [
  "batch_number",
  "place",
  "posting_date",
  "debit_account",
  "credit_account",
  "amount",
  "currency",
  "text",
  "tax_code",
  "cost_center",
  "kind",
  "value_date",
  "reference",
  "counterparty",
  "amount_minor",
  "difference_minor",
  "subject_id",
  "reverses",
] as const satisfies (keyof ExportedEntry)[];

const SHEET_COLUMNS: SheetColumn[] = [
  { name: "Batch", field: "batch_number", width: 12 },
  { name: "Entry", field: "place", width: 8 },
  { name: "Posting date", field: "posting_date", width: 12, as: "day" },
  { name: "Debit", field: "debit_account", width: 14 },
  { name: "Credit", field: "credit_account", width: 14 },
  { name: "Amount", field: "amount_minor", width: 18, as: "money" },
  { name: "Currency", field: "currency", width: 10 },
  { name: "Text", field: "text", width: 40 },
  { name: "Tax code", field: "tax_code", width: 10 },
  { name: "Cost centre", field: "cost_center", width: 12 },
  { name: "Kind", field: "kind", width: 16, as: "word" },
  { name: "Value date", field: "value_date", width: 12, as: "day" },
  { name: "Reference", field: "reference", width: 24 },
  { name: "Counterparty", field: "counterparty", width: 28 },
  { name: "Match or line", field: "subject_id", width: 38 },
  { name: "Reverses", field: "reverses", width: 14 },
];

export const listEntriesContract = contract({
  operationId: "listEntries",
  method: "GET",
  path: "/v1/entry-batches/{id}/entries",
  tag,
  summary: "List the entries of a batch",
  description:
    "Each debits one account and credits another by the same amount, in the order of the batch. " +
    "Reversals come first.",
  access: needs("read:reconciliations"),
  params: byBatch,
  query: z.strictObject({ ...pageQuery, currency }),
  response: page(entry),
  exported: {
    summary: "Export the entries of a batch",
    description:
      "A row for each entry, with the columns that you choose. Exporting does not mark the batch " +
      "as exported.",
    columns: ENTRY_COLUMNS,
    amounts: ["amount"],
    item: exportedEntry,
    workbook: [{ name: "Entries", columns: SHEET_COLUMNS }],
    query: {
      columns: queryChoices(ENTRY_COLUMNS)
        .optional()
        .meta({
          description: "The columns, in this order. By default all.",
          example: ["posting_date", "debit_account", "credit_account", "amount", "text"],
        }),
    },
    functions: ["list_entries", "get_entry_batch"],
  },
  noun: "entry batch",
  errors: ["not_found"],
});

export const getLedgerFileContract = contract({
  operationId: "getLedgerFile",
  method: "GET",
  path: "/v1/entry-batches/{id}/ledger-file",
  tag,
  summary: "Get a batch as a file for a ledger",
  description:
    "In the import layout that the ledger publishes; the guide to entries names the " +
    "sources. One currency per file. 409 names an entry that the ledger can't accept. " +
    "Downloading doesn't mark the batch as exported.",
  access: needs("read:reconciliations"),
  functions: ["open_ledger_file", "list_entries"],
  params: byBatch,
  query: z.strictObject({
    format: z
      .enum(ENTRY_FILE_FORMATS)
      .meta({ description: "The ledger's layout.", example: "netsuite" }),
    currency: currency.meta({
      description: "Required for a batch with several currencies.",
      example: "EUR",
    }),
    part: queryInteger(1, 9999)
      .optional()
      .meta({
        description:
          "Required for a batch with more entries than the ledger accepts in a file: Xero " +
          "150, QuickBooks Online 500, NetSuite 12,500, DATEV 99,999, others 100,000.",
        example: 1,
      }),
  }),
  response: z.string(),
  download: {
    type: "application/octet-stream",
    description: "The file.",
    example: "External ID,Date,Currency",
  },
  noun: "entry batch",
  errors: ["not_found", "conflict"],
});

export const markEntryBatchExportedContract = contract({
  operationId: "markEntryBatchExported",
  method: "POST",
  path: "/v1/entry-batches/{id}/exported",
  tag,
  summary: "Mark a batch as exported",
  description:
    "Mark it once the ledger has it. A second call returns 409, so that only one of two " +
    "programs posts it. With four_eyes, not by someone who worked in the period.",
  access: needs("write:reconciliations"),
  idempotency: { field: "idempotency_key", required: false },
  params: byBatch,
  body: z.strictObject({
    ledger_reference: text(200)
      .nullable()
      .default(null)
      .meta({ description: "The ledger's reference for it.", example: null }),
  }),
  response: entryBatch,
  noun: "entry batch",
  errors: ["not_found", "conflict"],
});

export const pushEntryBatchContract = contract({
  operationId: "pushEntryBatch",
  method: "POST",
  path: "/v1/entry-batches/{id}/push",
  tag,
  summary: "Push a batch now",
  description:
    "Pushes it to the connection in the entry rules. It is exported once its files are written.",
  access: needs("write:reconciliations"),
  idempotency: { field: "idempotency_key", required: false },
  params: byBatch,
  response: entryBatch,
  noun: "entry batch",
  errors: ["not_found", "conflict"],
});
