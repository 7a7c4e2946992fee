import { hash } from "node:crypto";
import type { Context, PolledState } from "../request/context.ts";
import { readTags } from "./conditional-requests.ts";

/**
 * The entity tags of polled lists: `W/"<query>-<last change>-<read at>-<valid until>"`, the first a
 * digest, the others milliseconds in base 36. Because the client carries them, a poll costs one
 * look-up as long as they hold. They are weak: minutes_to_breach and as_of go on, and clients count
 * them from due_at. `since` is not part of the query, because the next poll asks for what changed
 * since the response that the tag came with.
 */
const TAG = /^([\w-]{8})-([\da-z]{1,9})-([\da-z]{1,9})-([\da-z]{1,9})$/;
const DIGEST_LENGTH = 8;
const BASE = 36;

/** Whose tag it is: the same query has other results in another tenant, and `me` for another user. */
type Caller = Pick<Context, "tenantId" | "principal">;

/** The tag of the response that a verb described in `ctx.state`; null if it described none. */
export function polledTag(request: Request, ctx: Context): string | null {
  const { state } = ctx;
  if (!state) return null;
  const times = [state.changed_at, state.as_of, state.until].map((time) =>
    Date.parse(time).toString(BASE),
  );
  return `W/"${digestOf(request, ctx)}-${times.join("-")}"`;
}

/**
 * What `If-None-Match` says that the caller has of this list.
 * @throws ApiError 400 if it isn't a list of entity tags.
 */
export function readKnown(request: Request, caller: Caller): PolledState | null {
  const tags = readTags(request.headers, "If-None-Match");
  if (tags === null || tags === "*") return null;
  const digest = digestOf(request, caller);
  for (const { tag } of tags) {
    const [, query, changed, read, until] = TAG.exec(tag) ?? [];
    if (query === digest && changed && read && until)
      return { changed_at: timeOf(changed), as_of: timeOf(read), until: timeOf(until) };
  }
  return null;
}

function timeOf(digits: string): string {
  return new Date(Number.parseInt(digits, BASE)).toISOString();
}

function digestOf({ url }: Request, { tenantId, principal }: Caller): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete("since");
  const text = `${tenantId} ${principal.type} ${principal.lineageId} ${pathname}?${searchParams}`;
  return hash("sha256", text, "base64url").slice(0, DIGEST_LENGTH);
}
