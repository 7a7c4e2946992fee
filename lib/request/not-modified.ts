/** The caller has what the response would say: the endpoint sends 304. */
export class NotModified extends Error {}
