import { hash } from "node:crypto";
import { z } from "zod";
import { log } from "../runtime/log.ts";
import type { Contract } from "../wire/contract.ts";
import type { Context } from "./context.ts";

const DIGEST_LENGTH = 16;

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
  const data = parsed(contract.response, ctx, await found) as z.output<C["response"]>;
  const body = JSON.stringify(data);
  const isTagged = contract.resource === "versioned" || contract.resource === "unversioned";
  return { data, body, etag: isTagged ? entityTag(ctx.version, body) : null };
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
