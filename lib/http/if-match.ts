import { invalidRequest } from "../errors.ts";

const LIST = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*$/;

/**
 * The strong entity tags of `If-Match`, without their quotes; null without the header and for `*`. A weak tag matches
 * nothing (RFC 9110, 13.1.1). @throws ApiError 400 where it is no list of entity tags.
 */
export function readIfMatch(request: Request): string[] | null {
  const header = request.headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return null;
  if (!LIST.test(header))
    throw invalidRequest([{ path: "If-Match", message: 'Must be an ETag as received, including its quotes, for example "3".' }]);
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag]) => (weak || tag === undefined ? [] : [tag]));
}
