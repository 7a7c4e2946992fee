import { Call, type CallOptions, type FileBody, List } from "./call.ts";
import { addPolling, type Events } from "./events.ts";
import { Export } from "./export.ts";
import * as generated from "./generated/operations.gen.ts";
import { type Outgoing, send, type Transport } from "./send.ts";
import { addWaits, type Imports, type Reconciliations, type Runs } from "./waits.ts";
import { sign, unwrap } from "./webhooks.ts";

/** How to reach the API, and as which caller. */
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

/** `tieout.webhooks` */
export interface Webhooks extends generated.WebhooksResource {
  /** Verifies a delivery and returns its event. @throws TieoutError `invalid_signature` */
  unwrap: typeof unwrap;
  /** The headers of a signed delivery, to test a receiver with. */
  sign: typeof sign;
}

/** The client: one method for each operation of the API. */
export class Tieout extends generated.Resources {
  declare readonly imports: Imports;
  declare readonly runs: Runs;
  declare readonly reconciliations: Reconciliations;
  declare readonly webhooks: Webhooks;
  declare readonly events: Events;

  constructor({ key, token, baseUrl, deadlineMs = 60_000, ...options }: TieoutOptions) {
    super();
    const transport: Transport = {
      ...options,
      deadlineMs,
      baseUrl: baseUrl.replace(/\/+$/, ""),
      token: token ?? (() => key),
      fetch: options.fetch ?? ((...args) => fetch(...args)),
    };
    for (const [resource, routes] of Object.entries(generated.ROUTES)) {
      const methods = Object.entries(routes).map(([name, route]) => [
        name,
        method(transport, route),
      ]);
      Object.assign(this, { [resource]: Object.fromEntries(methods) });
    }
    Object.assign(this.webhooks, { unwrap, sign });
    addPolling(this.events);
    addWaits(this.sources, this.imports, this.runs, this.reconciliations);
  }
}

type Query = Record<string, string | number | boolean | readonly unknown[] | null | undefined>;

/** The method of a route, whose arguments are the path's parameters, body, query and options. */
function method(transport: Transport, route: string): (...args: unknown[]) => unknown {
  const [verb = "", path = "", flags = ""] = route.split(" ");
  const count = path.split("{").length - 1;
  const [hasBody, hasQuery] = [/[BF]/.test(flags), flags.includes("Q")];
  return (...args) => {
    const ids = args.slice(0, count);
    const rest = args.slice(count);
    const body = hasBody ? rest.shift() : undefined;
    const query = (hasQuery ? rest.shift() : undefined) as Query | undefined;
    const options = (rest[0] ?? {}) as CallOptions;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, ids.shift()));
    const outgoing = (more?: Query): Outgoing => ({
      method: verb,
      path: filled + search({ ...query, ...more }),
      ...payload(flags, body, options),
      isLong: /[EF]/.test(flags),
    });
    const call = (more?: Query) => new Call(send(transport, outgoing(more), options, readJson));
    if (flags.includes("L")) return new List((cursor) => call(cursor ? { cursor } : {}) as never);
    if (!flags.includes("E")) return call();
    const format = query?.format ?? "ndjson";
    const file = hasQuery ? { format, end_mark: format === "xlsx" ? undefined : true } : {};
    return new Export(async () =>
      send(transport, outgoing(file), options, async (it) => it).then(({ data }) => data),
    );
  };
}

/** An empty segment would be another route. */
function segment(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw new TypeError(`The ${name} is missing.`);
  return encodeURIComponent(value);
}

function search(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (pairs.length === 0) return "";
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

function payload(flags: string, body: unknown, options: CallOptions) {
  const headers: Record<string, string> = {
    Accept: flags.includes("E") ? "*/*" : "application/json",
  };
  const fields = (body ?? {}) as {
    idempotency_key?: string;
    idempotencyKey?: string;
    type?: string;
  };
  if (flags.includes("I"))
    headers["Idempotency-Key"] =
      options.idempotencyKey ??
      fields.idempotency_key ??
      fields.idempotencyKey ??
      crypto.randomUUID();
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  if (options.auditReason) headers["X-Audit-Reason"] = options.auditReason;
  if (flags.includes("F")) {
    headers["Content-Type"] =
      options.contentType ?? ((body instanceof Blob && body.type) || "application/octet-stream");
    return { headers, body: fileOf(body as FileBody) };
  }
  if (body === undefined) return { headers, body: undefined };
  headers["Content-Type"] = "application/json";
  return { headers, body: JSON.stringify(body) };
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

async function readJson(response: Response): Promise<unknown> {
  return response.status === 204 ? undefined : response.json();
}
