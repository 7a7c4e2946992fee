import { createHash } from "node:crypto";
import type { z } from "zod";
import type { Contract } from "../wire/contract.ts";
import type { Context } from "./context.ts";

const DIGEST_LENGTH = 16;

/** `data` by the contract, `body` as it is sent, and the `ETag` of an answer about one resource. */
export type Answer<C extends Contract> = { data: z.output<C["response"]>; body: string; etag: string | null };

/** Runs a verb and parses what it found by the contract, for an endpoint and for a page: a column nobody listed cannot leak. */
export async function answerOf<C extends Contract>(contract: C, ctx: Context, found: Promise<z.input<C["response"]>>): Promise<Answer<C>> {
  const data = contract.response.parse(await found) as z.output<C["response"]>;
  const body = JSON.stringify(data);
  return { data, body, etag: contract.resource === null ? null : entityTag(ctx.version, body) };
}

/**
 * The entity tag of an answer: `<version>-<digest>`. What was stored is told by the version, which is all that `If-Match` compares;
 * what the clock or others' work adds to it (`minutes_to_breach`, `request_count`) by the digest, so that a 304 never hides it.
 */
export function entityTag(version: number | null, body: string): string {
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, DIGEST_LENGTH);
  return version === null ? `"${digest}"` : `"${version}-${digest}"`;
}
