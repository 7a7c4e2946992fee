import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { log } from "../runtime/log.ts";
import type { Contract } from "../wire/contract.ts";
import type { Context } from "./context.ts";

const DIGEST_LENGTH = 16;
/** How many items are parsed at a time: 500 at once block the event loop for 10 to 30 ms. */
const SLICE = 100;

/**
 * `data` as the contract parsed it, `body` as sent, and the `ETag` if the response is about one
 * resource.
 */
export type VerbResponse<C extends Contract> = {
  data: z.output<C["response"]>;
  body: string;
  etag: string | null;
};

/**
 * Parses a verb's result by the contract, for an endpoint or a page, so that a column that the
 * contract doesn't list can't leak.
 */
export async function responseOf<C extends Contract>(
  contract: C,
  ctx: Context,
  found: Promise<z.input<C["response"]>>,
): Promise<VerbResponse<C>> {
  const data = (await parsedInSlices(contract.response, ctx, await found)) as z.output<
    C["response"]
  >;
  const body = JSON.stringify(data);
  const isTagged = contract.resource === "versioned" || contract.resource === "unversioned";
  return { data, body, etag: isTagged ? entityTag(ctx.version, body) : null };
}

/** Like `parsed`, but serves other requests between the slices of long arrays. */
async function parsedInSlices(response: z.ZodType, ctx: Context, found: unknown): Promise<unknown> {
  const arrays = longArrays(response, found);
  if (arrays.length === 0) return parsed(response, ctx, found);
  const empty = Object.fromEntries(arrays.map(({ field }) => [field, []]));
  const { data } = response.safeParse({ ...(found as object), ...empty });
  if (!data) return parsed(response, ctx, found);
  for (const { field, schema, values } of arrays) {
    const items = (data as Record<string, unknown[]>)[field] as unknown[];
    for (let at = 0; at < values.length; at += SLICE) {
      const slice = schema.safeParse(values.slice(at, at + SLICE));
      if (!slice.success) return parsed(response, ctx, found);
      items.push(...(slice.data as unknown[]));
      await setImmediate();
    }
  }
  return data;
}

type LongArray = { field: string; schema: z.ZodType; values: readonly unknown[] };

function longArrays(response: z.ZodType, found: unknown): LongArray[] {
  if (!(response instanceof z.ZodObject) || typeof found !== "object" || found === null) return [];
  return Object.entries(found).flatMap(([field, values]) => {
    const schema = response.shape[field];
    return schema instanceof z.ZodArray && Array.isArray(values) && canBeSliced(schema, values)
      ? [{ field, schema, values }]
      : [];
  });
}

/** Slices can't decide a check of the whole array, except for a maximum length that it keeps. */
function canBeSliced({ def: { checks = [] } }: z.ZodArray, { length }: readonly unknown[]) {
  return (
    length > SLICE &&
    checks.every(({ _zod: { def } }) => {
      const { check, maximum = 0 } = def as Partial<z.core.$ZodCheckMaxLengthDef>;
      return check === "max_length" && length <= maximum;
    })
  );
}

/**
 * Drops the items of a page that don't fit the contract, because they would fail the whole page.
 * Totals come from the database and still count them.
 */
function parsed(response: z.ZodType, ctx: Context, found: unknown): unknown {
  const { success, data, error } = response.safeParse(found);
  if (success) return data;
  const failedIndexes = error.issues.map(({ path: [field, index] }) =>
    field === "items" && typeof index === "number" ? index : null,
  );
  if (
    !(response instanceof z.ZodObject && "next_cursor" in response.shape) ||
    failedIndexes.includes(null)
  )
    throw error;
  const { items } = found as { items: { id?: unknown }[] };
  const failed = new Set(failedIndexes);
  log.error(
    {
      request_id: ctx.requestId,
      tenant_id: ctx.tenantId,
      operation: ctx.operation,
      ids: items.flatMap(({ id }, index) => (failed.has(index) ? [id] : [])),
      // Only path and code are logged, never the value.
      issues: error.issues.map(({ path, code }) => `${path.join(".")}: ${code}`),
    },
    "items that don't fit the contract, left out of a page",
  );
  return response.parse({
    ...(found as object),
    items: items.filter((_, index) => !failed.has(index)),
  });
}

/**
 * The entity tag of a response: `<version>-<digest>`. The version identifies what is stored, and is
 * all that `If-Match` compares. The digest covers what the clock or other users' work adds
 * (`minutes_to_breach`, `request_count`), so that a 304 never hides a change of it.
 */
export function entityTag(version: number | null, body: string): string {
  const digest = hash("sha256", body, "base64url").slice(0, DIGEST_LENGTH);
  return version === null ? `"${digest}"` : `"${version}-${digest}"`;
}
