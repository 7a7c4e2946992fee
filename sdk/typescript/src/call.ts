/** A file to send. A stream can be sent only once, so a failure isn't retried. */
export type FileBody =
  | Blob
  | string
  | Uint8Array<ArrayBuffer>
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Options of one call. */
export type CallOptions = {
  /** Aborts the call, its retries and the waiting between them. */
  signal?: AbortSignal;
  /** The time for the call with all its retries. By default the client's; 15 minutes for a file. */
  deadlineMs?: number;
  /** By default a new random key for each call. All attempts of the call have the same. */
  idempotencyKey?: string;
  /** The `etag` you read: the change is made only if nobody has changed the resource since. */
  ifMatch?: string;
  /** With the service-role key: the reason for the call, recorded in the security events. */
  auditReason?: string;
  /** The media type of a file. By default the type of the blob, or its first bytes show it. */
  contentType?: string;
};

/** The data of a call and what its response says beyond. */
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

/** A call under way: await it for its data. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "Call";
  readonly #result: Promise<{ response: Response; data: T }>;

  /** @internal */
  constructor(result: Promise<{ response: Response; data: T }>) {
    this.#result = result;
  }

  /** The data with its request ID, ETag and rate limits. */
  async withResponse(): Promise<WithResponse<T>> {
    const { response, data } = await this.#result;
    const { headers, status } = response;
    const [, remaining, reset] = /r=(\d+);t=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? [];
    return {
      data,
      status,
      requestId: headers.get("x-request-id") ?? undefined,
      etag: headers.get("etag") ?? undefined,
      replayed: headers.get("idempotency-replayed") === "true",
      rateLimit: remaining
        ? { remaining: Number(remaining), resetSeconds: Number(reset) }
        : undefined,
      headers,
    };
  }

  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(({ data }) => data).then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd);
  }
}

type PageOf = { items: readonly unknown[]; next_cursor: string | null };

/** A list: iterate it for all items, page by page, or get one `page()`. */
export class List<Page extends PageOf> implements AsyncIterable<Page["items"][number]> {
  readonly #page: (cursor?: string) => Call<Page>;

  /** @internal */
  constructor(page: (cursor?: string) => Call<Page>) {
    this.#page = page;
  }

  /** The page at the query's cursor, or the first. */
  page(): Call<Page> {
    return this.#page();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Page["items"][number]> {
    let page = await this.#page();
    yield* page.items as never[];
    while (page.next_cursor !== null) {
      page = await this.#page(page.next_cursor);
      yield* page.items as never[];
    }
  }
}
