/**
 * The start of the headers that the server gives the application. `server/inbound.ts` removes those
 * that a caller sends.
 */
const PREFIX = "x-inbound-";

export const CLIENT_ADDRESS_HEADER = `${PREFIX}client-address`;
/** The path and query of a page, or the path of a call. */
export const PATH_HEADER = `${PREFIX}path`;
export const QUERY_HEADER = `${PREFIX}query`;
