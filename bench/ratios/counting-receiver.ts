/**
 * Answers at once, and reports when each delivery arrived. Under /verified it checks the signature
 * first.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

const REPORT_INTERVAL_MS = 50;
const webhook = new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
let at: [id: string, at: number][] = [];

const server = createServer((request, response) => {
  const now = performance.timeOrigin + performance.now();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url?.startsWith("/verified"))
      webhook.verify(Buffer.concat(chunks), request.headers as Record<string, string>);
    at.push([String(request.headers["webhook-id"]), now]);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
setInterval(() => {
  if (at.length > 0) process.send?.({ at });
  at = [];
}, REPORT_INTERVAL_MS);
process.on("disconnect", () => process.exit(0));
