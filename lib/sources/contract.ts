import { z } from "zod";
import { mapping } from "../imports/formats/mapping.ts";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { CURRENCIES } from "../wire/currencies.ts";
import { SOURCES } from "../wire/facts.gen.ts";
import { actor, id, page, pageQuery, text, time, timeZone } from "../wire/schema.ts";

export const SOURCE_KINDS = SOURCES.kind;
export const SOURCE_SIGNS = SOURCES.sign;

export const sourceId = id("src");
const kind = z.enum(SOURCE_KINDS);
const sign = z.enum(SOURCE_SIGNS).meta({
  description:
    "inverted: the source books with the opposite sign, so a reconciliation negates its " +
    "amounts.",
});

const settable = {
  name: text(SOURCES.name.max).meta({ example: "Commerzbank EUR account" }),
  kind: kind.meta({ example: "bank_statement" }),
  currency: z.enum(CURRENCIES).meta({
    description: "The currency of lines that name none.",
    example: "EUR",
    override: { type: "string", enum: undefined, pattern: "^[A-Z]{3}$", maxLength: 3 },
  }),
  time_zone: timeZone(SOURCES.time_zone.max).meta({
    description: "The time zone that turns a file's times into days.",
    example: "Europe/Berlin",
  }),
  sign,
  mapping: mapping.nullable().meta({
    description: "How CSV, NDJSON and JSON files are read. Null: detected in each file.",
    example: null,
  }),
  grace_days: z.int().min(SOURCES.grace_days.min).max(SOURCES.grace_days.max).meta({
    description: "Business days a line may stay open before it becomes an exception.",
    example: 3,
  }),
};

export const source = z
  .object({
    id: sourceId,
    ...settable,
    currency: z.string().meta({ example: "EUR" }),
    time_zone: z.string().meta({ example: "Europe/Berlin" }),
    line_count: z.int().min(0).meta({ example: 4210 }),
    last_import_at: time.nullable(),
    created_at: time,
    created_by: actor,
    updated_at: time,
  })
  .meta({ id: "Source" });
export type Source = z.output<typeof source>;

const tag = "Sources and lines";
const byId = z.strictObject({ id: sourceId });

export const listSourcesContract = contract({
  operationId: "listSources",
  method: "GET",
  path: "/v1/sources",
  tag,
  summary: "List sources, newest first",
  access: needs("read:reconciliations"),
  query: z.strictObject({
    ...pageQuery,
    kind: kind.optional(),
    q: text(200).optional().meta({ description: "Words in the name.", example: "bank" }),
  }),
  response: page(source),
});

export const createSourceContract = contract({
  operationId: "createSource",
  method: "POST",
  path: "/v1/sources",
  tag,
  summary: "Create a source",
  description:
    "Where lines come from: a bank account's statements, a ledger account, a processor's payouts.",
  access: needs("write:reconciliations"),
  idempotency: { field: "idempotency_key", required: false },
  body: z.strictObject({
    ...settable,
    time_zone: settable.time_zone.optional(),
    sign: sign.optional(),
    mapping: settable.mapping.optional(),
    grace_days: settable.grace_days.optional(),
  }),
  response: source,
  resource: "versioned",
  status: 201,
  errors: ["conflict"],
});

export const getSourceContract = contract({
  operationId: "getSource",
  method: "GET",
  path: "/v1/sources/{id}",
  tag,
  summary: "Get a source",
  access: needs("read:reconciliations"),
  params: byId,
  response: source,
  resource: "versioned",
});

export const updateSourceContract = contract({
  operationId: "updateSource",
  method: "PATCH",
  path: "/v1/sources/{id}",
  tag,
  summary: "Change a source",
  description:
    "The mapping is replaced as a whole. Currency and sign can't change once the source has " +
    "lines or is importing some.",
  access: needs("write:reconciliations"),
  params: byId,
  body: z.strictObject(settable).partial(),
  response: source,
  resource: "versioned",
  errors: ["conflict"],
});
