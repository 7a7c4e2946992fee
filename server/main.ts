import cluster from "node:cluster";
import { createServer, type Server, type ServerResponse } from "node:http";
import next from "next";
import { addressKey, rateLimit } from "#lib/http/rate-limit.ts";
import { env } from "#lib/runtime/env.ts";
import { log } from "#lib/runtime/log.ts";
import { onShutdown, shutDown } from "#lib/runtime/singleton.ts";
import { startTelemetry } from "#lib/runtime/start-telemetry.ts";
import nextConfig from "../next.config.ts";
import { apiRoutes } from "./api.ts";
import { buildFiles } from "./build-files.ts";
import { METHODS, normalizeInbound, pathOf, requireValid } from "./inbound.ts";
import { OPENAPI_PATH, serveOpenApi } from "./openapi.ts";
import { refuse, refuseSocket } from "./refusal.ts";

const HEADERS_TIMEOUT_MS = 15_000;
/** Long enough for a file of 64 MiB, which is read only as fast as the database stores its rows. */
const REQUEST_TIMEOUT_MS = 300_000;
const SOCKET_TIMEOUT_MS = 120_000;
/** Longer than the 60 s of common load balancers, so that they close the connection first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const DRAIN_TIMEOUT_MS = 7_000;
const DEFAULT_CSP =
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/**
 * Larger than the limits we check, so that a head that is too large gets our own problem response.
 */
const HEAD_READ_BYTES = 128 * 1024;

const port = Number(process.env.PORT);
const dev = process.env.NODE_ENV !== "production";
const proxies = Number(process.env.TRUSTED_PROXY_HOPS || 0);
if (!Number.isInteger(proxies) || proxies < 0)
  throw new Error("TRUSTED_PROXY_HOPS isn't a number of proxies.");

env();
onShutdown(
  await startTelemetry("web", async () => (await import("#lib/http/metrics.ts")).metricsRegistry()),
);

// Passed explicitly: to load next.config.ts, Next would load its compiler, 25 MB per web process.
const app = next({ dev, port, ...(!dev && { conf: nextConfig }) });
await app.prepare();
const handle = app.getRequestHandler();
const serveBuilt = dev ? null : buildFiles();
// The development server must reload changed routes, so Next serves them.
const serveApi = dev ? null : apiRoutes();
const limitAddress = rateLimit({
  name: "address",
  perMinute: addressLimit(),
  refusal: "Too many requests from this address.",
});
const inFlight = new Set<ServerResponse>();

const server: Server = createServer(
  {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxHeaderSize: HEAD_READ_BYTES,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // We refuse a missing Host ourselves, so that the response has a request ID.
    requireHostHeader: false,
    // Only hot reload uses web sockets.
    shouldUpgradeCallback: () => dev,
  },
  async (request, response) => {
    const startedAt = performance.now();
    const { requestId, address } = normalizeInbound(request, proxies);
    const path = pathOf(request.url ?? "");
    response.setHeader("X-Request-Id", requestId);
    // Pages set their own policy (proxy.ts); any other response that a browser displays may run and
    // load nothing.
    response.setHeader("Content-Security-Policy", DEFAULT_CSP);
    inFlight.add(response);
    response.once("close", () => {
      inFlight.delete(response);
      const status = response.writableFinished ? response.statusCode : "aborted";
      const ms = Math.round(performance.now() - startedAt);
      log.info(
        { method: request.method, path, status, ms, request_id: requestId, address },
        "request",
      );
      if (!server.listening) server.closeIdleConnections();
    });
    if (!server.listening) response.setHeader("Connection", "close");
    if (request.method === "OPTIONS" && request.url === "*")
      return void response
        .writeHead(204, { Allow: METHODS.join(", "), "Cache-Control": "no-store" })
        .end();
    try {
      requireValid(request, dev);
      const serve = async () => {
        await limitAddress.take(addressKey(address));
        const byNext = () => handle(request, response);
        return serveApi ? serveApi(request, response, byNext) : byNext();
      };
      if (path === OPENAPI_PATH) await serveOpenApi(request, response);
      else if (serveBuilt) await serveBuilt(request, response, serve);
      else await serve();
    } catch (error) {
      await refuse(response, error, requestId);
    }
  },
);
// Unsupported Expect headers are ignored; otherwise, Node would respond without a request ID.
server.on("checkExpectation", (request, response) => server.emit("request", request, response));
server.setTimeout(SOCKET_TIMEOUT_MS);
server.on("clientError", (error, socket) => refuseSocket(socket, error));
server.listen(port, process.env.HOST, () => {
  log.info({ port }, "listening");
  if (!cluster.isWorker) process.send?.("ready");
});

process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
// A process of a cluster ends when the primary disconnects it.
for (const end of ["SIGTERM", "disconnect"] as const) process.once(end, stop);

/** The limit covers every request of an address, because refusals and pages cost time, too. */
function addressLimit(): number {
  const { RATE_LIMIT_PER_ADDRESS, RATE_LIMIT_PER_MINUTE } = env();
  return RATE_LIMIT_PER_ADDRESS ?? 10 * RATE_LIMIT_PER_MINUTE;
}

let stopping = false;

function stop(): void {
  if (stopping) return;
  stopping = true;
  server.close(async () => {
    await shutDown();
    await app.close();
    process.exit(0);
  });
  for (const response of inFlight)
    if (!response.headersSent) response.setHeader("Connection", "close");
  setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS).unref();
}
