import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { problemResponse } from "#lib/http/problem.ts";
import { HEADERS_TOO_LARGE, MALFORMED, newRequestId } from "./inbound.ts";

/**
 * Answers a request that never reached the application, or that the application failed to answer.
 */
export async function refuse(
  response: ServerResponse,
  error: unknown,
  requestId: string,
): Promise<void> {
  const problem = problemResponse(error, requestId, new Headers({ "Cache-Control": "no-store" }));
  if (response.headersSent) return void response.destroy();
  response.writeHead(problem.status, {
    ...Object.fromEntries(problem.headers),
    connection: "close",
  });
  response.end(await problem.text());
}

/**
 * How long the rest of the request is read and discarded. If the socket closed at once, the
 * response could be lost with it (RFC 9112, 9.6).
 */
const LINGER_MS = 2000;

const refused = new WeakSet<Duplex>();

/**
 * Answers a request that Node could not parse, on a bare socket. Later data on this socket is
 * ignored.
 */
export async function refuseSocket(socket: Duplex, error: NodeJS.ErrnoException): Promise<void> {
  if (refused.has(socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  refused.add(socket);
  const requestId = newRequestId();
  const reason = error.code === "HPE_HEADER_OVERFLOW" ? HEADERS_TOO_LARGE : MALFORMED;
  const problem = problemResponse(
    reason,
    requestId,
    new Headers({ "Cache-Control": "no-store", "X-Request-Id": requestId }),
  );
  const body = await problem.text();
  const headers = [
    ...problem.headers,
    ["content-length", String(Buffer.byteLength(body))],
    ["connection", "close"],
  ];
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(lingering));
}
