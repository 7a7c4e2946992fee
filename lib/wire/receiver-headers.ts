import { PRODUCT } from "./product.ts";

/** The headers that a webhook can add to its deliveries. Safe in the browser. */

export const HEADERS_MAX = 10;
const NAME_MAX = 64;
export const HEADER_VALUE_MAX = 1000;

/** A token of RFC 9110. */
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Visible ASCII, with spaces and tabs inside. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/**
 * Headers that we set or that belong to one connection (RFC 9110, 7.6.1), and headers that tell a
 * receiver or proxy where a request came from.
 */
const OURS =
  /^(?:accept|accept-encoding|connection|content-.*|cookie|date|expect|forwarded|host|http2-settings|keep-alive|max-forwards|proxy-.*|te|trace.*|trailer|transfer-encoding|upgrade|user-agent|via|webhook-.*|x-forwarded-.*|(?:cf-connecting|true-client|x-client|x-cluster-client|x-real)-ip)$/i;

/** Why a header's name is invalid, or null. */
export function headerNameFault(name: string): string | null {
  if (name.length > NAME_MAX || !NAME.test(name))
    return `Must be 1 to ${NAME_MAX} letters, digits or hyphens.`;
  return OURS.test(name) ? `${name} is set by ${PRODUCT} or by the connection.` : null;
}

/** Why a header's value is invalid, or null. */
export function headerValueFault(value: string): string | null {
  return value.length <= HEADER_VALUE_MAX && VALUE.test(value)
    ? null
    : `Must be 1 to ${HEADER_VALUE_MAX} visible ASCII characters, without spaces at its ends.`;
}
