import { createServer } from "node:http";
import { isSameSecret } from "../auth/same-secret.ts";
import { log } from "../runtime/log.ts";
import { gauge, registry } from "../runtime/metrics.ts";
import type { Service } from "./service.ts";

const TIMEOUT_MS = 5_000;

/**
 * Serves operators of a process without an API, on METRICS_PORT if that is set. `/healthz` is 200
 * while all services are healthy, else 503 with the names of the others; `/metrics` is Prometheus
 * text and requires METRICS_TOKEN.
 */
export function startStatusServer(vitals: readonly Service[]): void {
  const { METRICS_PORT, METRICS_TOKEN, HOST } = process.env;
  gauge(
    {
      name: "tieout_vital_works",
      help: "Whether a part of this process does its work.",
      label: "vital",
    },
    () => Object.fromEntries(vitals.map(({ name, healthy: works }) => [name, Number(works)])),
  );
  if (!METRICS_PORT) return;
  const server = createServer(
    { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS },
    async (request, response) => {
      response.setHeader("Cache-Control", "no-store");
      if (request.method !== "GET") return void response.writeHead(405, { Allow: "GET" }).end();
      if (request.url === "/healthz") {
        const late = vitals.flatMap(({ name, healthy: works }) => (works ? [] : name));
        return void response
          .writeHead(late.length === 0 ? 200 : 503, { "Content-Type": "text/plain" })
          .end(late.join("\n"));
      }
      if (request.url !== "/metrics" || !METRICS_TOKEN) return void response.writeHead(404).end();
      if (!isSameSecret(request.headers.authorization ?? "", `Bearer ${METRICS_TOKEN}`))
        return void response.writeHead(401, { "WWW-Authenticate": "Bearer" }).end();
      response.setHeader("Content-Type", registry().contentType);
      response.end(await registry().metrics());
    },
  );
  // The process works without this server, so an error is only logged.
  server.on("error", (error) =>
    log.error({ err: error, port: METRICS_PORT }, "no metrics of this process"),
  );
  server.listen(Number(METRICS_PORT), HOST);
  server.unref();
}
