import { ApiError, invalidRequest } from "../wire/errors.ts";

const LIST = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*$/;
/** One of our tags: the version, then a digest if the response shows more than what is stored. */
const VERSION_TAG = /^(0|[1-9]\d{0,15})(?:-[\w-]{8,64})?$/;

/**
 * The versions that `If-Match` allows; null without the header and for `*`. Weak tags and tags that
 * aren't ours match nothing (RFC 9110, 13.1.1). @throws ApiError 400 if it isn't a list of entity
 * tags.
 */
export function readIfMatch(headers: Headers): number[] | null {
  const tags = readTags(headers, "If-Match");
  if (tags === null || tags === "*") return null;
  if (tags.every(({ weak }) => weak))
    throw new ApiError(
      "precondition_failed",
      "The ETag in If-Match is weak (W/): a proxy changed it. " +
        "Send it as the API returned it, without W/.",
    );
  return tags.flatMap(({ weak, tag }) => {
    const version = weak ? undefined : VERSION_TAG.exec(tag)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/**
 * Whether the caller already has this response. `If-None-Match` compares weakly (RFC 9110, 13.1.2).
 * @throws ApiError 400 if it isn't a list of entity tags.
 */
export function isNotModified(headers: Headers, entityTag: string): boolean {
  const tags = readTags(headers, "If-None-Match");
  return tags === "*" || (tags?.some(({ tag }) => `"${tag}"` === entityTag) ?? false);
}

/**
 * The tags of a header; null without it.
 * @throws ApiError 400 if it isn't a list of entity tags.
 */
export function readTags(
  headers: Headers,
  name: string,
): "*" | { weak: boolean; tag: string }[] | null {
  const header = headers.get(name)?.trim();
  if (header === undefined) return null;
  if (header === "*") return "*";
  if (!LIST.test(header))
    throw invalidRequest([
      {
        path: name,
        message: 'Give the ETag as it came, with its quotes, for example "3-Kx8d0aTq".',
      },
    ]);
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag = ""]) => ({
    weak: weak !== undefined,
    tag,
  }));
}
