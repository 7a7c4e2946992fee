/** The address of the API, and the caller. */
export type TieoutOptions = {
  /** The tenant of all calls. */
  tenant: string;
  /** The address of the API, such as `https://tieout.example`. */
  baseUrl: string;
  /** The time for a call with all its retries, by default a minute. */
  deadlineMs?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
} & (
  | { /** An API key, `<key_id>.<key_secret>`. */ key: string; token?: undefined }
  | { /** Returns a token, before each attempt. */ token: () => Promise<string>; key?: undefined }
);

/** A file to send. A stream can be sent only once, so a failed call isn't retried. */
export type FileBody =
  | Blob
  | string
  | Uint8Array<ArrayBuffer>
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Options of one call. */
export type CallOptions = {
  /** Aborts the call, its retries and the waits between them. */
  signal?: AbortSignal;
  /** The time for the call with all its retries. By default the client's; 15 minutes for a file. */
  deadlineMs?: number;
  /** By default a new random key for each call. All attempts of a call use the same key. */
  idempotencyKey?: string;
  /**
   * The `etag` of the version that you read: the change is made only if nobody has changed the
   * resource since.
   */
  ifMatch?: string;
  /** With the service-role key: the reason for the call, recorded in the security events. */
  auditReason?: string;
  /** The media type of a file. By default the type of the blob, or its first bytes show it. */
  contentType?: string;
};

/** A request to send. Its body is JSON, or a file. */
export type Request = {
  method: string;
  path: string;
  query?: object;
  body?: unknown;
  file?: FileBody;
  /** Whether it takes an idempotency key. */
  keyed?: boolean;
  /** Whether the caller reads the response, which may take as long as it wants. */
  isExport?: boolean;
  options?: CallOptions;
};

/** Sends a request until it succeeds, fails for good, or its deadline is near. */
export type Send = (request: Request) => Promise<{ response: Response; data: unknown }>;

/** A parameter of a path. An empty one would be another route. */
export function segment(name: string, value: string | number): string {
  if (value === "" || !["string", "number"].includes(typeof value))
    throw new TypeError(`The ${name} is missing.`);
  return encodeURIComponent(value);
}

/** The URL with its query: lists are joined by commas, and undefined values are left out. */
export function urlOf({ baseUrl }: TieoutOptions, { path, query = {} }: Request): string {
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  return url.href;
}

/** The idempotency key in a body. The API refuses one that differs from the header's. */
export const keyIn = (body: unknown): string | undefined =>
  Object(body).idempotency_key ?? Object(body).idempotencyKey;

/** The parts of a request that all of its attempts share, without the credential. */
export function initOf({ tenant }: TieoutOptions, request: Request) {
  const { method, body, file, keyed, isExport, options = {} } = request;
  const { idempotencyKey, ifMatch, auditReason, contentType } = options;
  const accept = isExport ? "*/*" : "application/json";
  const headers: Record<string, string> = { "X-Tenant-Id": tenant, Accept: accept };
  if (keyed) headers["Idempotency-Key"] = idempotencyKey ?? keyIn(body) ?? crypto.randomUUID();
  if (ifMatch) headers["If-Match"] = ifMatch;
  if (auditReason) headers["X-Audit-Reason"] = auditReason;
  const type = file instanceof Blob && file.type ? file.type : "application/octet-stream";
  if (file !== undefined) headers["Content-Type"] = contentType ?? type;
  else if (body !== undefined) headers["Content-Type"] = "application/json";
  const sent = file === undefined ? JSON.stringify(body) : fileOf(file);
  const duplex = sent instanceof ReadableStream ? { duplex: "half" } : {};
  return { method, headers, body: sent, redirect: "manual", ...duplex } as const;
}

function fileOf(file: FileBody): BodyInit {
  const isStream = typeof file === "object" && Symbol.asyncIterator in file;
  if (!isStream || file instanceof ReadableStream) return file as BodyInit;
  const iterator = file[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await iterator.return?.()),
  });
}
