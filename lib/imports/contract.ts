import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { IMPORTS } from "../wire/facts.gen.ts";
import { actor, id, page, pageQuery, queryBoolean, text, time } from "../wire/schema.ts";
import { FORMATS, mapping } from "./formats/mapping.ts";
import { SKIP_REASONS, WARNING_CODES } from "./formats/skip-reasons.ts";

/** Without `receiving`, which callers never see. */
export const IMPORT_STATUSES = IMPORTS.status.filter((status) => status !== "receiving");
export const IMPORT_MAX_BYTES = 1024 ** 3;
/** How much of the beginning of a file a preview reads. */
export const PREVIEW_MAX_BYTES = 1024 ** 2;
const MAPPING_MAX_LENGTH = 8_000;

const importId = id("imp");
const sourceId = id("src");
const format = z.enum(FORMATS);
const status = z.enum(IMPORT_STATUSES).meta({ example: "done" });
const count = z.int().min(0);
const minor = z.int().nullable();

const refusals = z
  .array(
    z.object({
      line: z.int().nullable().meta({ description: "Line of the file, from 1.", example: 17 }),
      field: z.string().nullable().meta({
        description: "The field, or the format's own name for it.",
        example: "amount",
      }),
      message: z
        .string()
        .meta({ example: 'More decimals than JPY has. Found "12.5", expected a whole number.' }),
    }),
  )
  .max(100);

const skips = z
  .array(
    z.object({
      line: z.int().meta({ description: "Line of the file, from 1.", example: 9 }),
      reason: z
        .enum(SKIP_REASONS)
        .meta({ description: "Why it isn't a line.", example: "pending" }),
      text: z.string().max(200).meta({
        description: "The text in the file.",
        example: "08.10.2026;Vorgemerkt;-12,50",
      }),
    }),
  )
  .max(100);

const warnings = z
  .array(
    z.object({
      code: z.enum(WARNING_CODES).meta({ example: "skipped" }),
      message: z.string().meta({ example: "1 entry was skipped: see skips for the reasons." }),
    }),
  )
  .max(30);

const statements = z
  .array(
    z.object({
      id: z.string().nullable().meta({ example: "2026-10" }),
      account: z.string().nullable().meta({ example: "DE89370400440532013000" }),
      currency: z.string().nullable().meta({ example: "EUR" }),
      opening_balance_minor: minor.meta({ example: 1_000_000 }),
      closing_balance_minor: minor.meta({ example: 1_187_650 }),
      balance_holds: z.boolean().nullable().meta({ example: true }),
      control_totals_hold: z.boolean().nullable().meta({
        description: "Whether the counts and sums that the file states match its lines.",
        example: null,
      }),
      line_count: count.meta({ example: 214 }),
      sum_minor: z.string().max(40).meta({
        description: "The sum of its lines, as a string, because it can exceed 2⁵³.",
        example: "187650",
      }),
      period_start: z.iso.date().nullable().meta({ example: "2026-10-01" }),
      period_end: z.iso.date().nullable().meta({ example: "2026-10-31" }),
    }),
  )
  .max(100);

/** The results of reading a file, for an import and for a preview. */
const findings = {
  format: format.meta({ example: "camt.053" }),
  read_count: count.meta({ description: "Lines that could be read.", example: 214 }),
  duplicate_count: count.meta({ description: "Lines that were imported before.", example: 3 }),
  refused_count: count.meta({ description: "Lines that could not be read.", example: 0 }),
  skipped_count: count.meta({
    description: "Entries that aren't booked, such as pending ones and totals.",
    example: 1,
  }),
  refusals: refusals.meta({ description: "The first 100.", example: [] }),
  skips: skips.meta({ description: "The first 100 that were skipped.", example: [] }),
  warnings: warnings.meta({
    description: "What to check although the file could be read.",
    example: [],
  }),
  statements: statements.meta({ description: "The first 100." }),
  opening_balance_minor: minor.meta({ example: 1_000_000 }),
  closing_balance_minor: minor.meta({ example: 1_187_650 }),
  balance_holds: z
    .boolean()
    .nullable()
    .meta({
      description:
        "Whether opening + lines = closing in every statement with both balances. Null if " +
        "none has both.",
      example: true,
    }),
  bytes_read: count.meta({ example: 182_044 }),
};

export const imported = z
  .object({
    id: importId,
    source_id: sourceId,
    status,
    file_name: z.string().nullable().meta({ example: "2026-10.camt053.xml" }),
    ...findings,
    accepted_count: count.meta({ description: "Lines that are new.", example: 211 }),
    bytes_total: count.meta({ example: 182_044 }),
    failure: z
      .string()
      .nullable()
      .meta({ description: "Why it failed; nothing of it was saved.", example: null }),
    created_at: time,
    created_by: actor,
    finished_at: time.nullable(),
    undone_at: time.nullable().meta({ example: null }),
    undone_by: actor.nullable().meta({ example: null }),
  })
  .meta({ id: "Import" });
export type Import = z.output<typeof imported>;

const previewLine = z.object({
  file_line: z.int().meta({ example: 2 }),
  external_id: z.string().nullable().meta({ example: null }),
  amount_minor: z.int().meta({ example: -1250 }),
  fee_minor: minor.meta({ example: null }),
  currency: z.string().meta({ example: "EUR" }),
  value_date: z.iso.date().meta({ example: "2026-10-05" }),
  booked_date: z.iso.date().nullable().meta({ example: "2026-10-05" }),
  reference: z.string().nullable().meta({ example: "RG-2026-4711" }),
  counterparty: z.string().nullable().meta({ example: "Kunde 17 GmbH" }),
  description: z.string().nullable().meta({ example: "Invoice 4711, thank you" }),
  group_key: z.string().nullable().meta({ example: null }),
  details: z.record(z.string(), z.unknown()).meta({ example: { posting_text: "SEPA" } }),
  duplicate: z.boolean().meta({ example: false }),
});

export const importPreview = z
  .object({
    ...findings,
    version: z.string().nullable().meta({ description: "For camt and OFX.", example: "08" }),
    encoding: z.string().nullable().meta({ example: "utf-8" }),
    columns: z
      .array(z.object({ name: z.string(), kind: z.string(), samples: z.array(z.string()).max(10) }))
      .max(1000)
      .nullable()
      .meta({
        description:
          "For CSV: each column's name, what most of its cells look like, and its first cells.",
        example: null,
      }),
    mapping: mapping.nullable().meta({
      description:
        "The mapping that was used. Save it with the source to read other files the same way.",
      example: null,
    }),
    questions: z
      .array(
        z.object({
          about: z.string().meta({
            description: "The mapping's field that the answer is for.",
            example: "date_format",
          }),
          message: z
            .string()
            .meta({ example: '"03/04/2026" can be read as more than one day. Which is it?' }),
          example: z.string().nullable().meta({ example: "03/04/2026" }),
          choices: z
            .array(
              z.object({
                value: z.string().meta({
                  description: "The value for the mapping; JSON unless it is text.",
                  example: "DD/MM/YYYY",
                }),
                reads_as: z.string().nullable().meta({ example: "2026-04-03" }),
              }),
            )
            .max(1000),
        }),
      )
      .max(100)
      .meta({
        description:
          "Questions that the file leaves open. " +
          "Answer them in the mapping; no line is read until then.",
      }),
    lines: z.array(previewLine).max(10).meta({ description: "The first ten." }),
    checked_count: count.meta({
      description: "How many of the first lines were checked for duplicates.",
      example: 214,
    }),
    failure: z
      .string()
      .nullable()
      .meta({ description: "Why the file cannot be read as a whole.", example: null }),
    complete: z
      .boolean()
      .meta({ description: "False if only the file's first MiB was read.", example: true }),
  })
  .meta({ id: "ImportPreview" });
export type ImportPreview = z.output<typeof importPreview>;

const tag = "Sources and lines";
const byId = z.strictObject({ id: importId });

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "Give the mapping as JSON." });
    return z.NEVER;
  }
}

export const createImportContract = contract({
  operationId: "createImport",
  method: "POST",
  path: "/v1/sources/{id}/imports",
  tag,
  summary: "Import a file of lines",
  description:
    "The file is the body: CSV, an Excel workbook (.xlsx, up to 32 MiB), NDJSON, JSON, " +
    "camt.052, 053 or 054, MT940 or MT942, BAI2, OFX; also compressed with gzip, or alone " +
    "in a zip. The format is detected; a workbook's sheet is read as CSV. It is read in the " +
    "background and saved completely or not at all. Lines that were imported before count " +
    "as duplicates, so repeated files and overlapping statements do no harm. At most 1 GiB " +
    "and 5 million lines. With preview=true nothing is saved: the response shows what the " +
    "import would do.",
  access: needs("write:reconciliations"),
  functions: ["open_import", "keep_import_chunk", "create_import", "drop_import", "preview_import"],
  idempotency: { field: "idempotency_key", required: false },
  params: z.strictObject({ id: sourceId }),
  query: z.strictObject({
    format: format
      .optional()
      .meta({ description: "Overrides the detected format.", example: "csv" }),
    preview: queryBoolean.optional().meta({
      description: "If true, nothing is saved: the response shows what the import would do.",
      example: false,
    }),
    file_name: text(255).optional().meta({ example: "2026-10.csv" }),
    mapping: z
      .string()
      .max(MAPPING_MAX_LENGTH)
      .transform(parseJson)
      .pipe(mapping)
      .optional()
      .meta({
        description: "A mapping as JSON, instead of the source's.",
        example:
          '{"fields":{"amount":"Betrag","value_date":"Valuta"},"date_format":"DD.MM.YYYY","decimal_separator":","}',
        override: { type: "string", maxLength: MAPPING_MAX_LENGTH },
      }),
  }),
  upload: [
    "text/csv",
    "application/octet-stream",
    "application/x-ndjson",
    "application/json",
    "application/xml",
    "text/xml",
    "text/plain",
    "text/tab-separated-values",
    "application/x-ofx",
    "application/vnd.intu.qfx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.ms-excel",
    "application/gzip",
    "application/zip",
  ],
  uploadExample:
    "Valuta;Name;Verwendungszweck;Betrag\n05.10.2026;Kunde 17 GmbH;RG-2026-4711;1.250,00\n",
  bodyMaxBytes: IMPORT_MAX_BYTES,
  preview: importPreview,
  response: imported,
  status: 202,
  errors: ["conflict"],
});

export const listImportsContract = contract({
  operationId: "listImports",
  method: "GET",
  path: "/v1/imports",
  tag,
  summary: "List imports, newest first",
  access: needs("read:reconciliations"),
  query: z.strictObject({
    ...pageQuery,
    source_id: sourceId.optional(),
    status: status.optional(),
  }),
  response: page(imported),
  errors: ["not_found"],
});

export const getImportContract = contract({
  operationId: "getImport",
  method: "GET",
  path: "/v1/imports/{id}",
  tag,
  summary: "Get an import",
  description: "bytes_read and read_count show its progress.",
  access: needs("read:reconciliations"),
  params: byId,
  response: imported,
  resource: "unversioned",
});

export const undoImportContract = contract({
  operationId: "undoImport",
  method: "POST",
  path: "/v1/imports/{id}/undo",
  tag,
  summary: "Undo an import",
  description:
    "Removes its lines and undoes their matches; with more than 20,000 lines in the " +
    "background, with the status undoing. Cancels an import that is queued or being read. " +
    "Refused if a closed or archived period matched, excluded or carried forward one of its " +
    "lines.",
  access: needs("write:reconciliations"),
  idempotency: { field: "idempotency_key", required: false },
  params: byId,
  response: imported,
  resource: "unversioned",
  errors: ["conflict"],
});
