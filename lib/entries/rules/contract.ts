import { z } from "zod";
import { connectionId, folderName } from "../../connections/contract.ts";
import { byReconciliation, currency, idempotency, sum } from "../../matching/contract.ts";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { ENTRY_KINDS } from "../../wire/facts.gen.ts";
import { actor, text, time } from "../../wire/schema.ts";

export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The values that `{…}` in the text of a rule can insert. */
export const PLACEHOLDERS = [
  "reference",
  "counterparty",
  "description",
  "note",
  "date",
  "period",
  "amount",
  "currency",
  "kind",
  "reconciliation",
] as const;

export const tag = "Ledger entries";

const PLACEHOLDER = new RegExp(`\\{(?:${PLACEHOLDERS.join("|")})\\}`, "g");

/** Ledger files have a row per entry, so no field may contain a line break. */
const plain = (max: number) => text(max).regex(/^\P{Cc}+$/u, "Must not have control characters.");

const entryRule = z
  .strictObject({
    account: plain(100).meta({
      description: "Debited if the left side is smaller, credited if it is larger.",
      example: "4970",
    }),
    counter_account: plain(100).meta({
      description: "Credited if the left side is smaller, debited if it is larger.",
      example: "1200",
    }),
    tax_code: plain(50)
      .nullable()
      .default(null)
      .meta({ description: "The ledger's own name for it.", example: null }),
    cost_center: plain(100)
      .nullable()
      .default(null)
      .meta({ description: "The ledger's own name for it.", example: "200" }),
    text: plain(200)
      .refine(
        (template) => !/[{}]/.test(template.replaceAll(PLACEHOLDER, "")),
        `Between braces, use one of ${PLACEHOLDERS.join(", ")}.`,
      )
      .meta({
        description: `The text of each entry. Placeholders: {${PLACEHOLDERS.join("}, {")}}.`,
        example: "Bank charges {period} {reference}",
      }),
  })
  .meta({ id: "EntryRuleInput", outputId: "EntryRule" });

const optional = entryRule.nullable().default(null);

const rules = z
  .strictObject({
    fee: optional,
    fx: optional,
    rounding: optional,
    write_off: optional,
    other: optional,
    residual: optional,
    excluded_left: optional,
    excluded_right: optional,
    carried_left: optional,
    carried_right: optional,
  } satisfies Record<EntryKind, typeof optional>)
  .meta({
    id: "EntryRulesInput",
    outputId: "EntryRules",
    description:
      "One rule for each kind of adjustment, for residuals, and for excluded or carried " +
      "lines of a side. Null: nothing is posted.",
    example: {
      fee: {
        account: "4970",
        counter_account: "1200",
        tax_code: null,
        cost_center: "200",
        text: "Bank charges {period} {reference}",
      },
      fx: null,
      rounding: null,
      write_off: null,
      other: null,
      residual: null,
      excluded_left: null,
      excluded_right: null,
      carried_left: null,
      carried_right: null,
    },
  });

/** The files in the layouts of ledgers. */
export const ENTRY_FILE_FORMATS = [
  "datev",
  "xero",
  "quickbooks",
  "quickbooks_iif",
  "netsuite",
  "sap",
] as const;
export type EntryFileFormat = (typeof ENTRY_FILE_FORMATS)[number];

export const PUSH_FORMATS = ["csv", ...ENTRY_FILE_FORMATS] as const;
export type PushFormat = (typeof PUSH_FORMATS)[number];

/**
 * The name of each file format, and the maximum number of entries that its ledger accepts in one
 * file. If the ledger states no limit, it is 100,000, since a whole file is held in memory.
 */
export const FORMAT_FILES: Record<
  PushFormat,
  { label: string; prefix: string; extension: string; maxEntries: number }
> = {
  csv: { label: "CSV", prefix: "entries-", extension: "csv", maxEntries: 100_000 },
  datev: {
    label: "DATEV",
    prefix: "EXTF_Buchungsstapel_",
    extension: "csv",
    maxEntries: 99_999,
  },
  xero: { label: "Xero", prefix: "xero-manual-journals-", extension: "csv", maxEntries: 150 },
  quickbooks: {
    label: "QuickBooks Online",
    prefix: "quickbooks-journal-",
    extension: "csv",
    maxEntries: 500,
  },
  quickbooks_iif: {
    label: "QuickBooks Desktop",
    prefix: "quickbooks-journal-",
    extension: "iif",
    maxEntries: 100_000,
  },
  netsuite: {
    label: "NetSuite",
    prefix: "netsuite-journal-",
    extension: "csv",
    maxEntries: 12_500,
  },
  sap: { label: "SAP", prefix: "sap-journal-", extension: "txt", maxEntries: 100_000 },
};

const push = z
  .strictObject({
    connection_id: connectionId.meta({ description: "An SFTP or S3 connection of any source." }),
    folder: folderName.nullable().default(null).meta({
      description: "A folder below the connection's address. Null: the address itself.",
      example: "entries",
    }),
    format: z.enum(PUSH_FORMATS).meta({ description: "The format of the files.", example: "csv" }),
  })
  .meta({ id: "EntryPushInput", outputId: "EntryPushSettings" })
  .nullable()
  .default(null)
  .meta({ description: "Where each batch is written. Null: nowhere." });

const ledger = z
  .strictObject({
    datev_consultant: z
      .int()
      .min(1001)
      .max(9_999_999)
      .nullable()
      .default(null)
      .meta({ description: "The consultant's number in DATEV.", example: 29_098 }),
    datev_client: z
      .int()
      .min(1)
      .max(99_999)
      .nullable()
      .default(null)
      .meta({ description: "The client's number in DATEV.", example: 55_003 }),
    datev_account_length: z
      .int()
      .min(4)
      .max(8)
      .default(4)
      .meta({ description: "The length of a general ledger account number in DATEV.", example: 4 }),
    fiscal_year_month: z
      .int()
      .min(1)
      .max(12)
      .default(1)
      .meta({ description: "The month in which the fiscal year begins.", example: 1 }),
    sap_company_code: z
      .string()
      .max(4)
      .regex(/^[A-Z0-9]{1,4}$/, "Give 1 to 4 capital letters or digits.")
      .nullable()
      .default(null)
      .meta({ description: "The company code in SAP.", example: null }),
    push,
  })
  .meta({
    id: "LedgerSettingsInput",
    outputId: "LedgerSettings",
    description: "What ledger files need to know about the ledger.",
    example: {
      datev_consultant: 29_098,
      datev_client: 55_003,
      datev_account_length: 4,
      fiscal_year_month: 1,
      sap_company_code: null,
      push: null,
    },
  });
export type EntryFileSettings = z.output<typeof ledger>;

export const entryRuleSet = z
  .object({
    rules,
    ledger,
    version: z.int().min(0).meta({ description: "0: no rules have been set.", example: 2 }),
    updated_at: time.nullable(),
    updated_by: actor.nullable(),
  })
  .meta({ id: "EntryRuleSet" });
export type EntryRuleSet = z.output<typeof entryRuleSet>;

/** The fields that an entry of a batch and one of a preview share. */
export const draft = {
  kind: z
    .enum(ENTRY_KINDS)
    .meta({ description: "The kind of item that it posts.", example: "fee" }),
  subject_id: z
    .string()
    .max(44)
    .regex(/^(?:mat|lin)_[0-9a-z]{20,40}$/)
    .meta({
      description: "The match or line that it posts.",
      example: "mat_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    }),
  currency,
  amount_minor: z
    .int()
    .min(1)
    .meta({ description: "The amount debited and credited.", example: 250 }),
  difference_minor: z
    .int()
    .meta({ description: "The part of left − right that it posts.", example: -250 }),
  debit_account: z
    .string()
    .max(100)
    .meta({ description: "The account in the rule.", example: "4970" }),
  credit_account: z
    .string()
    .max(100)
    .meta({ description: "The account in the rule.", example: "1200" }),
  tax_code: z
    .string()
    .max(50)
    .nullable()
    .meta({ description: "The ledger's own name for it.", example: null }),
  cost_center: z
    .string()
    .max(100)
    .nullable()
    .meta({ description: "The ledger's own name for it.", example: null }),
  text: z.string().max(500).meta({
    description: "The rule's template, filled in.",
    example: "Bank charges 2026-10 RG-4711",
  }),
  value_date: z.iso
    .date()
    .meta({ description: "The date of the line or match.", example: "2026-10-05" }),
  reference: z.string().nullable().meta({ example: "RG-4711" }),
  counterparty: z.string().nullable().meta({ example: "Kunde 17 GmbH" }),
};

const count = z.int().min(0);

export const entrySums = z
  .array(
    z
      .object({
        currency,
        entry_count: count.meta({ description: "Including reversals.", example: 12 }),
        debit_minor: sum.meta({ example: 4_210 }),
        credit_minor: sum.meta({ example: 4_210 }),
      })
      .meta({ id: "EntrySum" }),
  )
  .max(200)
  .meta({ description: "By currency." });

const preview = z
  .object({
    sums: entrySums,
    entries: z
      .array(z.object(draft).meta({ id: "EntryDraft" }))
      .max(100)
      .meta({ description: "The first 100." }),
    without_rule: z
      .array(
        z
          .object({
            kind: draft.kind,
            currency,
            count: count.meta({ example: 3 }),
            difference_minor: sum.meta({ example: -1_490 }),
          })
          .meta({ id: "EntriesWithoutRule" }),
      )
      .max(2000)
      .meta({ description: "Items that no rule covers; nothing is posted for them." }),
  })
  .meta({ id: "EntryPreview" });
export type EntryPreview = z.output<typeof preview>;

export const getEntryRulesContract = contract({
  operationId: "getEntryRules",
  method: "GET",
  path: "/v1/reconciliations/{id}/entry-rules",
  tag,
  summary: "Get the entry rules of a period's sources",
  description: "They belong to the pair of sources. A close uses the newest version.",
  access: needs("read:reconciliations"),
  params: byReconciliation,
  response: entryRuleSet,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});

export const putEntryRulesContract = contract({
  operationId: "putEntryRules",
  method: "PUT",
  path: "/v1/reconciliations/{id}/entry-rules",
  tag,
  summary: "Set the entry rules of a period's sources",
  description:
    "Creates a new version for future closes. Without ledger, its settings stay. Existing " +
    "batches don't change; a reopened period uses the newest version at its next close.",
  access: needs("write:reconciliations"),
  params: byReconciliation,
  body: z.strictObject({ rules, ledger: ledger.optional() }),
  response: entryRuleSet,
  resource: "versioned",
  errors: ["not_found", "conflict"],
});

export const previewEntriesContract = contract({
  operationId: "previewEntries",
  method: "POST",
  path: "/v1/reconciliations/{id}/entries/preview",
  tag,
  summary: "Preview the entries of a period",
  description:
    "What an open period would post if it closed now, and a closed one if it closed again " +
    "with nothing posted before. Without rules, it uses the pair's. Nothing is saved.",
  access: needs("read:reconciliations"),
  idempotency,
  params: byReconciliation,
  body: z.strictObject({ rules: rules.optional() }),
  dryRun: "always",
  response: preview,
  errors: ["not_found", "conflict"],
});
