import { z } from "zod";
import { needsOnSurface } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { RECORDS } from "../wire/facts.gen.ts";
import {
  actor,
  id,
  normalText,
  page,
  pageQuery,
  queryBoolean,
  searchedText,
  time,
  timestamp,
} from "../wire/schema.ts";
import { SURFACES } from "./surfaces/every-surface.ts";
import type { Surface } from "./surfaces/surface.ts";

const RECORD_MAX_BYTES = 65_536;

/**
 * Fields that the server sets: they are in responses, never in requests. Only the header names the
 * tenant.
 */
const serverFields = {
  id: id("rec"),
  created_at: time,
  created_by: actor.nullable().meta({ description: "Null with the publishable key." }),
  updated_at: time,
  soft_delete: z.boolean().meta({ description: "True once deleted." }),
  deleted_at: time.nullable().meta({ example: null }),
  purge_at: time.nullable().meta({
    description: "When a deleted record is permanently deleted: 30 days after deletion.",
    example: null,
  }),
};

const refused = Object.fromEntries(
  [...Object.keys(serverFields), "tenant_id"].map((name) => [
    name,
    z.never({ error: "The server sets this field. Remove it." }).optional(),
  ]),
);

/** Fields that every surface has. */
const sharedFields = {
  operation: normalText().max(RECORDS.operation.max),
  limit: z.int().min(1).max(250),
};

const sharedExample = { operation: "list", limit: 25 };
const serverExample = {
  id: "rec_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
  created_at: "2026-11-20T09:30:00.000Z",
  created_by: "user:ada",
  updated_at: "2026-11-20T09:30:00.000Z",
  soft_delete: false,
  deleted_at: null,
  purge_at: null,
};

/** A record on the wire: the server's fields and any others. */
export type StoredRecord = z.output<z.ZodObject<typeof serverFields, z.core.$loose>>;

const byId = z.strictObject({ id: serverFields.id });
const includingDeleted = z.enum(["true", "false", "only"]).optional().meta({
  description: "Also deleted records, or only deleted ones. For tenant_admin.",
  example: "true",
});

/** The six operations of one surface. */
export function recordContracts(surface: Surface) {
  const { path, title, noun, example } = surface;
  const one = pascalCase(noun);
  const shared = { tag: title, noun: "record", resource: "versioned" } as const;
  const reading = needsOnSurface("read", path, surface.public);
  const writing = needsOnSurface("write", path);

  const record = z
    .looseObject({
      ...nullish(wireFields(surface)),
      ...serverFields,
      ...(!surface.public && { created_by: actor }),
    })
    .meta({
      id: one,
      description: surface.description,
      example: { ...example, ...sharedExample, ...serverExample },
    });
  const ownFields = nullish(checkedFields(surface));
  const tenantId = z.string().optional();

  return {
    surface: path,
    list: contract({
      operationId: `list${pascalCase(title)}`,
      method: "GET",
      path: `/v1/${path}`,
      tag: title,
      summary: `List ${title.toLowerCase()}, newest first`,
      access: reading,
      functions: ["list_records"],
      query: z.strictObject({
        ...pageQuery,
        operation: sharedFields.operation
          .optional()
          .meta({ description: "Only records with this operation.", example: "list" }),
        q: searchedText.optional().meta({
          description:
            "Text search, up to 12 words: each matches the beginning of a word in the record's " +
            "text and numbers.",
          example: "payout bank",
        }),
        updated_since: timestamp
          .optional()
          .meta({ description: "Only records changed at or after this time." }),
        include_deleted: includingDeleted,
      }),
      response: page(record),
    }),
    create: contract({
      ...shared,
      operationId: `create${one}`,
      method: "POST",
      path: `/v1/${path}`,
      summary: `Create ${article(noun)} ${noun}`,
      description: "Any JSON object, up to 64 kB. Other fields are stored as sent.",
      access: writing,
      functions: ["create_record"],
      idempotency: { field: "idempotencyKey", required: true },
      body: z
        .looseObject({
          tenantId,
          ...z.object(sharedFields).partial().shape,
          ...ownFields,
          ...refused,
        })
        .meta({
          example: {
            tenantId: "acme",
            ...sharedExample,
            idempotencyKey: "0d1f6c1e-retry-1",
            ...example,
          },
        }),
      bodyMaxBytes: RECORD_MAX_BYTES,
      response: record,
      status: 201,
      errors: ["conflict"],
    }),
    get: contract({
      ...shared,
      operationId: `get${one}`,
      method: "GET",
      path: `/v1/${path}/{id}`,
      summary: `Get ${article(noun)} ${noun}`,
      access: reading,
      functions: ["get_record"],
      params: byId,
      query: z.strictObject({
        include_deleted: queryBoolean
          .optional()
          .meta({ description: "Also if it is deleted. For tenant_admin." }),
      }),
      response: record,
    }),
    update: contract({
      ...shared,
      operationId: `update${one}`,
      method: "PATCH",
      path: `/v1/${path}/{id}`,
      summary: `Change ${article(noun)} ${noun}`,
      description:
        "A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in " +
        "If-Match to avoid overwriting someone else's change.",
      access: writing,
      functions: ["update_record"],
      params: byId,
      body: z
        .looseObject({
          tenantId,
          ...nullish(sharedFields),
          ...ownFields,
          ...refused,
          idempotencyKey: z
            .never({
              error: "A record keeps the idempotency key it was created with. Remove this field.",
            })
            .optional(),
        })
        .meta({ example: Object.fromEntries(Object.entries(example).slice(0, 1)) }),
      bodyMaxBytes: RECORD_MAX_BYTES,
      response: record,
    }),
    remove: contract({
      ...shared,
      operationId: `delete${one}`,
      method: "DELETE",
      path: `/v1/${path}/{id}`,
      summary: `Delete ${article(noun)} ${noun}`,
      description:
        "A soft delete: a tenant admin can restore the record until purge_at, 30 days later.",
      access: writing,
      functions: ["delete_record"],
      params: byId,
      response: record,
    }),
    restore: contract({
      ...shared,
      operationId: `restore${one}`,
      method: "POST",
      path: `/v1/${path}/{id}/restore`,
      summary: `Restore a deleted ${noun}`,
      description: "Restoring a record that isn't deleted returns it unchanged.",
      access: needsOnSurface("restore", path),
      functions: ["restore_record"],
      idempotency: { field: "idempotencyKey", required: false },
      params: byId,
      response: record,
    }),
  };
}

export type RecordContracts = ReturnType<typeof recordContracts>;

/** The contracts by the path of their surface. */
export const RECORD_CONTRACTS: ReadonlyMap<string, RecordContracts> = new Map(
  SURFACES.map((surface) => [surface.path, recordContracts(surface)]),
);

function wireFields({ fields }: Surface): Record<string, z.ZodType> {
  return { ...mapValues(fields, ({ schema }) => schema), ...sharedFields };
}

function checkedFields({ fields }: Surface): Record<string, z.ZodType> {
  return mapValues(fields, ({ schema, check }) => (check ? schema.check(check) : schema));
}

/** Accepts null, which means no value and removes the field in a patch. */
function nullish(fields: Record<string, z.ZodType>): Record<string, z.ZodType> {
  return mapValues(fields, (schema) => schema.nullish());
}

function mapValues<From, To>(
  values: Record<string, From>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function pascalCase(words: string): string {
  return words.replace(/(?:^|\s)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? "an" : "a";
}
