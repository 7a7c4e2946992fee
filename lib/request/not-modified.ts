/** The caller already has this response, so the endpoint sends 304. */
export class NotModified extends Error {}
