import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { EXCEPTIONS } from "../../wire/facts.gen.ts";
import { pageQuery, text } from "../../wire/schema.ts";
import { count, exception, exceptionId, settableForMany, status, tag } from "../contract.ts";
import { savedFilters } from "../filters/contract.ts";
import { pauseBody } from "../pauses/contract.ts";

const BULK_MAX = 500;
/** Matching exceptions are counted up to 10,000. */
const MATCHING_MAX = 9999;

export const updateExceptionsContract = contract({
  operationId: "updateExceptions",
  method: "POST",
  path: "/v1/exceptions/bulk",
  tag,
  summary: "Change many exceptions at once",
  description:
    "Changes, pauses or resumes exceptions. With ids: at most 500, all or none; errors name " +
    "the index in ids. With a filter: all open ones that match, fewer than 10,000. " +
    "expected_count is how many you expect; if another number matches, the response is 409. " +
    "Each call changes at most 500: repeat it with next_cursor as cursor until that is " +
    "null. Exceptions that can't be changed are skipped and named.",
  access: needs("write:exceptions"),
  idempotency: { field: "idempotency_key", required: false },
  body: z
    .strictObject({
      ids: z
        .array(exceptionId)
        .min(1)
        .max(BULK_MAX)
        .refine((ids) => new Set(ids).size === ids.length, "Each exception may appear only once.")
        .optional(),
      filter: savedFilters.optional().meta({
        description: "Instead of ids: the open exceptions that match.",
        example: undefined,
      }),
      expected_count: z
        .int()
        .min(1)
        .max(
          MATCHING_MAX,
          `At most ${MATCHING_MAX.toLocaleString("en")} can be changed at once. Narrow the filter.`,
        )
        .optional()
        .meta({ description: "With filter: how many match, as you saw it.", example: 380 }),
      cursor: pageQuery.cursor,
      patch: z
        .strictObject({
          ...settableForMany,
          status,
          resolution: text(EXCEPTIONS.resolution.max)
            .nullable()
            .meta({ example: "Settled by the bank." }),
        })
        .partial()
        .refine((patch) => Object.keys(patch).length > 0, "Include at least one field to change.")
        .meta({ example: { status: "resolved", resolution: "Settled by the bank." } })
        .optional(),
      pause: pauseBody.optional().meta({ description: "Pauses them. Instead of patch." }),
      resume: z.literal(true).optional().meta({ description: "Resumes them. Instead of patch." }),
    })
    .refine(
      ({ patch, pause, resume }) =>
        [patch, pause, resume].filter((one) => one !== undefined).length === 1,
      {
        error: "Include exactly one of patch, pause and resume.",
        path: ["patch"],
      },
    )
    .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
      error: "Include one of ids and filter.",
      path: ["ids"],
    })
    .refine(
      ({ filter, expected_count }) => (filter === undefined) === (expected_count === undefined),
      {
        error: "expected_count is required with filter, and not allowed otherwise.",
        path: ["expected_count"],
      },
    )
    .refine(({ filter, cursor }) => filter !== undefined || cursor === undefined, {
      error: "Only with filter.",
      path: ["cursor"],
    })
    .meta({
      example: {
        ids: ["exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"],
        patch: { status: "resolved", resolution: "Settled by the bank." },
      },
    }),
  response: z
    .object({
      updated: count,
      items: z.array(exception),
      previous: z
        .array(exception)
        .max(BULK_MAX)
        .meta({ description: "With a filter: the items before the change.", example: [] }),
      skipped: z
        .array(
          z
            .object({ id: exceptionId, title: z.string(), message: z.string() })
            .meta({ id: "SkippedException" }),
        )
        .max(BULK_MAX)
        .meta({
          description: "With a filter: the items that can't be changed, and why.",
          example: [],
        }),
      next_cursor: z.string().nullable().meta({
        description: "With a filter: the cursor for the next call. Null: all are done.",
        example: null,
      }),
    })
    .meta({ id: "BulkUpdate" }),
  errors: ["not_found", "invalid_transition", "conflict"],
});
