import type { CallOptions, Request, Send } from "./request.ts";

/** The data of a call, and the metadata of its response. */
export type WithResponse<T> = {
  data: T;
  status: number;
  /** Identifies the request in the request log and for support. */
  requestId: string | undefined;
  /** The version of the resource, for `ifMatch`. */
  etag: string | undefined;
  /** Whether this is the response to an earlier request with the same idempotency key. */
  replayed: boolean;
  /** Calls left, and seconds until the window resets. */
  rateLimit: { remaining: number; resetSeconds: number } | undefined;
  headers: Headers;
};

/** A running call: await it for its data. */
export interface Call<T> extends Promise<T> {
  /** The data with its request ID, ETag and rate limits. */
  withResponse(): Promise<WithResponse<T>>;
}

/** A list: iterate it for all items, page by page, or get one `page()`. */
export interface List<Page extends PageOf> extends AsyncIterable<Page["items"][number]> {
  /** The page at the query's cursor, or the first. */
  page(): Call<Page>;
}

type PageOf = { items: readonly unknown[]; next_cursor: string | null };

/** The base class of the API's resources. */
export abstract class Resource {
  /** @internal */
  protected readonly send: Send;

  /** @internal */
  constructor(send: Send) {
    this.send = send;
  }
}

/** @internal */
export function callOf<T>(send: Send, request: Request): Call<T> {
  const sent = send(request);
  const data = sent.then((outcome) => outcome.data as T);
  // The data is awaited first, so that a failure is reported once and never as an unhandled
  // rejection.
  const withResponse = async () => ({ data: await data, ...detailsOf((await sent).response) });
  return Object.assign(data, { withResponse });
}

/** @internal */
export function listOf<Page extends PageOf>(
  send: Send,
  path: string,
  query?: { cursor?: string },
  options?: CallOptions,
): List<Page> {
  const page = (cursor = query?.cursor) =>
    callOf<Page>(send, { method: "GET", path, query: { ...query, cursor }, options });
  return {
    page: () => page(),
    async *[Symbol.asyncIterator]() {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { items, next_cursor } = await page(cursor);
        yield* items;
        cursor = next_cursor;
      }
    },
  };
}

/** @internal */
export function detailsOf({ headers, status }: Response): Omit<WithResponse<unknown>, "data"> {
  const limit = /r=(\d+);t=(\d+)/.exec(headers.get("ratelimit") ?? "");
  return {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    etag: headers.get("etag") ?? undefined,
    replayed: headers.get("idempotency-replayed") === "true",
    rateLimit: limit ? { remaining: Number(limit[1]), resetSeconds: Number(limit[2]) } : undefined,
    headers,
  };
}
