import { readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { promisify } from "node:util";
import { constants, createGzip, gzip as gzipCallback } from "node:zlib";
import { log } from "#lib/runtime/log.ts";
import nextConfig from "../next.config.ts";
import { bestEncoding } from "./encoding.ts";
import { pathOf } from "./inbound.ts";

type Handler = (
  request: Request,
  context: { params: Promise<Record<string, string>> },
) => Promise<Response>;
type Handlers = Record<string, Handler>;
type Fallback = () => Promise<void>;

/** The routes below a path segment, by name or by a parameter. */
type Branch = {
  handlers?: Handlers;
  named: Map<string, Branch>;
  parameter?: { name: string; branch: Branch };
};

const FOLDER = join(import.meta.dirname, "../app/v1");
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Paths without anything to decode, normalize or redirect. Next handles all others. */
const PLAIN_PATH = /^\/v1(?:\/[\w~-][\w.~-]*)+$/;
const MIN_COMPRESSED_BYTES = 1024;
const gzip = promisify(gzipCallback);

/**
 * Handles requests to /v1 with the route file that Next would choose. The route is called as Next
 * calls it, but without Next's overhead, which takes several times as long as most calls. Unusual
 * requests, paths without a route, and requests before the routes are loaded go to `fallback`.
 */
export function apiRoutes(): (
  request: IncomingMessage,
  response: ServerResponse,
  fallback: Fallback,
) => Promise<void> {
  let loaded: { root: Branch; headers: [string, string][] } | undefined;
  Promise.all([readRoutes(), commonHeaders()])
    .then(([root, headers]) => (loaded = { root, headers }))
    .catch((error) =>
      log.error({ err: error }, "the routes could not be loaded, Next serves them"),
    );
  return async (request, response, fallback) => {
    const { method = "", url = "" } = request;
    const path = pathOf(url);
    if (!loaded || !METHODS.includes(method) || !PLAIN_PATH.test(path)) return fallback();
    const params: Record<string, string> = {};
    const handler = findHandlers(loaded.root, path.split("/").slice(2), params)?.[method];
    if (!handler) return fallback();
    for (const [name, value] of loaded.headers) response.setHeader(name, value);
    const call = new Call(request, response) as unknown as Request;
    await send(
      await handler(call, { params: Promise.resolve(params) }),
      request.headers["accept-encoding"],
      response,
    );
  };
}

async function readRoutes(): Promise<Branch> {
  const root: Branch = { named: new Map() };
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(`${sep}route.ts`),
  );
  await Promise.all(
    files.map(async (file) => {
      const segments = file.split(sep).slice(0, -1);
      // The catch-all route for unknown paths is left to Next.
      if (segments.some((segment) => segment.startsWith("[["))) return;
      const branch = segments.reduce(branchFor, root);
      branch.handlers = await import(join(FOLDER, file));
    }),
  );
  return root;
}

function branchFor(branch: Branch, segment: string): Branch {
  const name = /^\[(\w+)\]$/.exec(segment)?.[1];
  if (name === undefined) {
    const next = branch.named.get(segment) ?? { named: new Map() };
    branch.named.set(segment, next);
    return next;
  }
  branch.parameter ??= { name, branch: { named: new Map() } };
  return branch.parameter.branch;
}

/**
 * Finds a path's handlers. Tries a name before a parameter and backtracks from dead ends, as Next
 * does.
 */
function findHandlers(
  branch: Branch,
  [segment, ...rest]: string[],
  params: Record<string, string>,
): Handlers | undefined {
  if (segment === undefined) return branch.handlers;
  const named = branch.named.get(segment);
  const found = named && findHandlers(named, rest, params);
  if (found || !branch.parameter) return found;
  const { name, branch: below } = branch.parameter;
  const handlers = findHandlers(below, rest, params);
  if (handlers) params[name] = segment;
  return handlers;
}

/** The headers that next.config.ts adds to every response. */
export async function commonHeaders(): Promise<[string, string][]> {
  const rules = (await nextConfig.headers?.()) ?? [];
  return rules.flatMap(({ headers }) =>
    headers.map(({ key, value }): [string, string] => [key, value]),
  );
}

/**
 * The part of a Request that our routes use. The body becomes a stream only if a route reads it,
 * because Node discards unread bodies.
 */
class Call implements Pick<Request, "method" | "url" | "headers" | "body" | "signal"> {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  #body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  #controller: AbortController | undefined;

  constructor(incoming: IncomingMessage, response: ServerResponse) {
    const { method = "GET", url = "", headers } = incoming;
    this.method = method;
    this.url = `http://${headers.host ?? "localhost"}${url}`;
    this.headers = new Headers(
      Object.entries(headers).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    );
    this.#incoming = incoming;
    this.#response = response;
  }

  /** Aborted once the caller is gone. It is created only for routes that use it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#response.destroyed) controller.abort();
      else this.#response.once("close", () => controller.abort());
    }
    return this.#controller.signal;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.method === "GET") return null;
    this.#body ??= Readable.toWeb(this.#incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
    return this.#body;
  }
}

/** Sends JSON whole, with its length, and a file as a stream. */
async function send(
  answer: Response,
  acceptEncoding: string | string[] | undefined,
  response: ServerResponse,
): Promise<void> {
  response.statusCode = answer.status;
  response.setHeaders(answer.headers);
  if (answer.body === null) return void response.end();
  response.appendHeader("Vary", "Accept-Encoding");
  const mayCompress = bestEncoding(acceptEncoding, ["gzip"]) === "gzip";
  if (!/[/+]json$/.test(answer.headers.get("content-type") ?? ""))
    return sendFile(answer.body, mayCompress, response);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isCompressed = mayCompress && bytes.length >= MIN_COMPRESSED_BYTES;
  if (isCompressed) response.setHeader("Content-Encoding", "gzip");
  const sent = isCompressed ? await gzip(bytes) : bytes;
  response.setHeader("Content-Length", sent.length);
  response.end(sent);
}

async function sendFile(
  body: ReadableStream,
  isCompressed: boolean,
  response: ServerResponse,
): Promise<void> {
  if (isCompressed) response.setHeader("Content-Encoding", "gzip");
  const source = Readable.fromWeb(body as WebStream);
  const steps = isCompressed
    ? [source, createGzip({ flush: constants.Z_SYNC_FLUSH }), response]
    : [source, response];
  await pipeline(steps).catch((error) => {
    // The caller is gone, or sees from the closed connection that the response is incomplete.
    response.destroy();
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE")
      log.error({ err: error }, "a file ended early");
  });
}
