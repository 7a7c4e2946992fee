import { hash } from "node:crypto";
import type { z } from "zod";
import type { Contract } from "../wire/contract.ts";
import type { Context } from "./context.ts";

const DIGEST_LENGTH = 16;

/** `data` as the contract parses it, `body` as sent, and the `ETag` of a response about one resource. */
export type Answer<C extends Contract> = { data: z.output<C["response"]>; body: string; etag: string | null };

/** Parses what a verb found by the contract, for an endpoint or a page: a column nobody listed can't leak. */
export async function answerOf<C extends Contract>(contract: C, ctx: Context, found: Promise<z.input<C["response"]>>): Promise<Answer<C>> {
  const data = contract.response.parse(await found) as z.output<C["response"]>;
  const body = JSON.stringify(data);
  return { data, body, etag: contract.resource === null ? null : entityTag(ctx.version, body) };
}

/**
 * The entity tag of a response: `<version>-<digest>`. The version identifies what is stored, and is all that `If-Match` compares. The
 * digest covers what the clock or others' work adds (`minutes_to_breach`, `request_count`), so that a 304 never hides it.
 */
export function entityTag(version: number | null, body: string): string {
  const digest = hash("sha256", body, "base64url").slice(0, DIGEST_LENGTH);
  return version === null ? `"${digest}"` : `"${version}-${digest}"`;
}
