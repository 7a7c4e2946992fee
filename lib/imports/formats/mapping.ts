/**
 * How the columns of a file become the fields of a line. Safe in the browser: zod and plain data.
 */
import { z } from "zod";

export const FORMATS = [
  "csv",
  "ndjson",
  "json",
  "camt.052",
  "camt.053",
  "camt.054",
  "mt940",
  "mt942",
  "bai2",
  "ofx",
] as const;
export type Format = (typeof FORMATS)[number];

type FormatTraits = {
  name: string;
  /** Where the fields of a line are: in columns or at paths that a mapping names, or as defined. */
  fields: "columns" | "paths" | "defined";
  /** XML declares its encoding itself (https://www.w3.org/TR/xml/#charencoding). */
  declaresEncoding: boolean;
};

export const FORMAT_TRAITS: Record<Format, FormatTraits> = {
  csv: { name: "CSV", fields: "columns", declaresEncoding: false },
  ndjson: { name: "NDJSON", fields: "paths", declaresEncoding: false },
  json: { name: "JSON", fields: "paths", declaresEncoding: false },
  "camt.052": { name: "camt.052", fields: "defined", declaresEncoding: true },
  "camt.053": { name: "camt.053", fields: "defined", declaresEncoding: true },
  "camt.054": { name: "camt.054", fields: "defined", declaresEncoding: true },
  mt940: { name: "MT940", fields: "defined", declaresEncoding: false },
  mt942: { name: "MT942", fields: "defined", declaresEncoding: false },
  bai2: { name: "BAI2", fields: "defined", declaresEncoding: false },
  ofx: { name: "OFX", fields: "defined", declaresEncoding: false },
};

/** All formats in words: "CSV, …, BAI2 or OFX". */
export const READABLE = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
  FORMATS.map((format) => FORMAT_TRAITS[format].name),
);

/** Names from the WHATWG encoding standard. ISO-8859-1 is read as its superset windows-1252. */
export const ENCODINGS = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "windows-1250",
  "iso-8859-2",
  "iso-8859-15",
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * `MMM` is the month's name or its first letters; DD and MM may have one digit if they are
 * separated.
 */
export const DATE_FORMATS = [
  "YYYY-MM-DD",
  "YYYY/MM/DD",
  "YYYY.MM.DD",
  "YYYYMMDD",
  "DD.MM.YYYY",
  "DD/MM/YYYY",
  "DD-MM-YYYY",
  "DDMMYYYY",
  "MM/DD/YYYY",
  "MM-DD-YYYY",
  "DD.MM.YY",
  "DD/MM/YY",
  "DD-MM-YY",
  "MM/DD/YY",
  "MM-DD-YY",
  "YY-MM-DD",
  "YY.MM.DD",
  "YY/MM/DD",
  "YYMMDD",
  "DD MMM YYYY",
  "DD-MMM-YYYY",
  "DD-MMM-YY",
  "DD MMM YY",
  "MMM DD, YYYY",
  "unix_seconds",
  "unix_ms",
] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

/**
 * The fields that a column can be mapped to. `debit` and `credit` are columns of amounts out and
 * in; `sign` says which of the two a line is; `fee` is what was withheld from the amount.
 */
export const MAPPED_FIELDS = [
  "amount",
  "amount_minor",
  "debit",
  "credit",
  "sign",
  "fee",
  "fee_minor",
  "currency",
  "value_date",
  "booked_date",
  "reference",
  "counterparty",
  "description",
  "group_key",
  "external_id",
] as const;
export type MappedField = (typeof MAPPED_FIELDS)[number];

export const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

const column = z.string().min(1).max(200);
const statuses = z.array(z.string().max(100)).max(30);
const signs = z.array(z.string().min(1).max(40)).min(1).max(20);

/** Every field except `fields` has a default, or is inferred from the start of the file. */
export const mapping = z
  .strictObject({
    fields: z.partialRecord(z.enum(MAPPED_FIELDS), column).meta({
      description:
        "The column of each field. Without a header row, columns are named 1, 2, 3, …; for " +
        "JSON, the member's name or its path, such as amount.value.",
      example: { amount: "Betrag" },
    }),
    lines_path: z
      .string()
      .regex(/^[^.]+(?:\.[^.]+)*$/, "Names separated by dots, such as data.items.")
      .max(200)
      .optional()
      .meta({
        description: "For JSON: the path to the list of lines, by default `lines`.",
        example: "data.items",
      }),
    date_format: z
      .enum(DATE_FORMATS)
      .optional()
      .meta({ description: "By default YYYY-MM-DD.", example: "DD.MM.YYYY" }),
    decimal_separator: z.enum([".", ","]).optional().meta({
      description: "Without it, amounts that can be read two ways, such as 1.234, are refused.",
      example: ",",
    }),
    delimiter: z
      .enum(DELIMITERS)
      .optional()
      .meta({ description: "What separates cells.", example: ";" }),
    quote: z
      .enum(['"', "'", "none"])
      .optional()
      .meta({ description: 'What encloses cells, by default ".', example: '"' }),
    encoding: z.enum(ENCODINGS).optional().meta({ example: "utf-8" }),
    header_row: z.boolean().optional().meta({
      description: "Whether a row names the columns. Rows before it are skipped. By default true.",
      example: true,
    }),
    sign_values: z
      .strictObject({ debit: signs, credit: signs })
      .optional()
      .meta({
        description: "The sign column's values for money out and money in.",
        example: { debit: ["S"], credit: ["H"] },
      }),
    fee_sign: z.enum(["plus", "minus"]).optional().meta({
      description: "How the file writes a deducted fee: 2.90 (plus, the default) or -2.90 (minus).",
      example: "minus",
    }),
    fee_handling: z
      .enum(["deducted", "included"])
      .optional()
      .meta({
        description:
          "For a fee column: whether the fee is deducted from the amount, or the amount is " +
          "already net of it.",
        example: "deducted",
      }),
    debit_sign: z
      .enum(["plus", "minus"])
      .optional()
      .meta({
        description:
          "How the debit column writes money out: 45.10 (plus) or -45.10 (minus). The " +
          "opposite sign is money back.",
        example: "plus",
      }),
    credit_sign: z
      .enum(["plus", "minus"])
      .optional()
      .meta({
        description:
          "How the credit column writes money in: 250.00 (plus) or -250.00 (minus). The " +
          "opposite sign is money taken back.",
        example: "plus",
      }),
    amount_sign: z
      .enum(["own", "inverted", "repeats", "reverses"])
      .optional()
      .meta({
        description:
          "What a minus means. own: money out. inverted: money in. With a direction column, " +
          "repeats: nothing beyond the direction. reverses: the opposite direction.",
        example: "own",
      }),
    unmarked: z.enum(["debit", "credit"]).optional().meta({
      description: "What an amount without CR or DR means if others in the column have one.",
      example: "debit",
    }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "Must be an ISO 4217 code, for example EUR.")
      .optional()
      .meta({
        description: "For a file in one currency without a column for it. ISO 4217.",
        example: "EUR",
      }),
    status: z
      .strictObject({ column, booked: statuses.optional(), not_booked: statuses.optional() })
      .optional()
      .meta({
        description:
          "The column that says whether a row is booked, and what its values mean. " +
          "Known words need no entry. Rows that aren't booked are skipped.",
        example: { column: "State", booked: ["COMPLETED"], not_booked: ["PENDING"] },
      }),
    balance: column.optional().meta({
      description: "The column with the balance after each row. Amounts are checked against it.",
      example: "Balance",
    }),
    sheet: z.string().min(1).max(100).optional().meta({
      description: "For a workbook: the sheet that is read.",
      example: "Transactions",
    }),
  })
  .meta({ id: "ImportMapping" });
export type Mapping = z.output<typeof mapping>;

/** The values of sign columns if the mapping has no `sign_values`. Compared case-insensitively. */
export const SIGN_VALUES = {
  debit: [
    "D",
    "DR",
    "DB",
    "DBIT",
    "DEBIT",
    "DEBET",
    "DÉBIT",
    "DEBE",
    "DARE",
    "S",
    "SOLL",
    "-",
    "AF",
    "CARGO",
    "ADDEBITO",
    "OUT",
    "WITHDRAWAL",
  ],
  credit: [
    "C",
    "CR",
    "CRDT",
    "CREDIT",
    "CRÉDIT",
    "CRÈDIT",
    "HABER",
    "AVERE",
    "H",
    "HABEN",
    "+",
    "BIJ",
    "ABONO",
    "ACCREDITO",
    "IN",
    "DEPOSIT",
  ],
} as const;
