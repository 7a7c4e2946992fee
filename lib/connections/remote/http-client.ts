import { Agent, type Dispatcher, request } from "undici";
import { pinnedConnector } from "../../webhooks/connector.ts";
import { PRODUCT } from "../../wire/product.ts";
import { addressFault } from "../address.ts";
import { RemoteError, remoteError } from "./remote-error.ts";

const IDLE_TIMEOUT_MS = 30_000;
const TEXT_MAX_BYTES = 4 * 1024 * 1024;
const USER_AGENT = `${PRODUCT}-Connections/1.0`;

export type HttpResponse = Dispatcher.ResponseData;

type Call = {
  method: "GET" | "HEAD" | "PUT" | "DELETE";
  url: URL;
  headers?: Headers;
  content?: Uint8Array | undefined;
};

/** Calls a server over HTTP, without following redirects. */
export class Http {
  readonly #agent: Agent;
  readonly #allowHosts: ReadonlySet<string>;
  readonly #signal: AbortSignal;

  constructor(allowHosts: ReadonlySet<string>, signal: AbortSignal) {
    this.#allowHosts = allowHosts;
    this.#signal = signal;
    this.#agent = new Agent({
      connect: pinnedConnector(allowHosts),
      allowH2: false,
      headersTimeout: IDLE_TIMEOUT_MS,
      bodyTimeout: IDLE_TIMEOUT_MS,
    });
  }

  /** @throws RemoteError unless the response is 2xx or one of `acceptedStatuses` */
  async call(
    { method, url, headers, content }: Call,
    acceptedStatuses: number[] = [],
  ): Promise<HttpResponse> {
    const refusal = addressFault(url.href, this.#allowHosts);
    if (refusal !== null) throw new RemoteError(refusal, true);
    const response = await request(url, {
      dispatcher: this.#agent,
      method,
      headers: {
        "user-agent": USER_AGENT,
        "accept-encoding": "identity",
        ...Object.fromEntries(headers ?? []),
      },
      body: content ?? null,
      signal: this.#signal,
    }).catch((error) => {
      throw remoteError(error);
    });
    const { statusCode } = response;
    if ((statusCode >= 200 && statusCode < 300) || acceptedStatuses.includes(statusCode))
      return response;
    response.body.on("error", () => {}).destroy();
    throw refused(statusCode);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function refused(status: number): RemoteError {
  if (status >= 300 && status < 400)
    return new RemoteError(
      `The server redirects to another address (HTTP ${status}). Enter that address.`,
      true,
    );
  if (status === 401 || status === 403)
    return new RemoteError(`The server refused the credential (HTTP ${status}).`, true);
  if (status === 404) return new RemoteError("The server has nothing at this address (HTTP 404).");
  return new RemoteError(`The server responded with HTTP ${status}.`);
}

/** @throws RemoteError for a text that is too long */
export async function textOf({ body }: HttpResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > TEXT_MAX_BYTES) throw new RemoteError("The server's response is too long.");
      chunks.push(chunk);
    }
  } catch (error) {
    throw remoteError(error);
  }
  return Buffer.concat(chunks).toString();
}

export function headerOf({ headers }: HttpResponse, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}
