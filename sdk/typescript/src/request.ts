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
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text === "") throw new TypeError(`The ${name} is missing.`);
  return encodeURIComponent(text);
}

/** The query of a URL: lists are joined by commas, and undefined values are left out. */
export function search(query: object = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (pairs.length === 0) return "";
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

/** The parts of a request that all of its attempts share. */
export function initOf({ method, body, file, keyed, isExport, options = {} }: Request) {
  const { idempotencyKey, ifMatch, auditReason, contentType } = options;
  const headers: Record<string, string> = { Accept: isExport ? "*/*" : "application/json" };
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

/** The key that is already in the body. */
function keyIn(body: unknown): string | undefined {
  const { idempotency_key, idempotencyKey } = (body ?? {}) as Record<string, string | undefined>;
  return idempotency_key ?? idempotencyKey;
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
