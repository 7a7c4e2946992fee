import { Agent, request } from "undici";
import { PRODUCT } from "../wire/product.ts";
import { BlockedAddress, pinnedConnector } from "./connector.ts";
import { failureOf } from "./delivery-failure.ts";
import { receiverFault } from "./receiver-address.ts";
import { type ReceiverResponse, readResponse } from "./receiver-response.ts";
import type { SignatureHeaders } from "./signature.ts";
import { StallAwareClock } from "./stall-aware-clock.ts";

export const SEND_TIMEOUT_MS = 15_000;
/** If this process was stalled for longer, a failure is ours and not the receiver's. */
const STALLED_MAX_MS = 500;
const IDLE_MS = 4_000;
const IDLE_MAX_MS = 60_000;
const USER_AGENT = `${PRODUCT}-Webhooks/1.0`;

export type Attempt = {
  url: string;
  body: string;
  headers: Record<string, string> & Partial<SignatureHeaders>;
};

export type Outcome = { duration_ms: number } & (
  | ReceiverResponse
  | { failure_kind: "timeout" | "connection_failed" | "blocked_address"; detail: string }
);

/** The attempt failed because this process was stalled, not because of the receiver. */
export class ProcessStalledError extends Error {}

export type Sender = {
  send: (attempt: Attempt, stop: AbortSignal) => Promise<Outcome>;
  close: () => Promise<void>;
};

/**
 * Sends webhooks. Connections are kept alive and pooled per host without a limit, because the
 * number of concurrent attempts is limited when they are claimed. `send` throws
 * ProcessStalledError, or the reason that `stop` was aborted with.
 */
export function createSender(
  allowHosts: ReadonlySet<string>,
  connect = pinnedConnector(allowHosts),
): Sender {
  const time = new StallAwareClock();
  const agent = new Agent({
    connect,
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
  });

  return {
    async send(attempt, stop) {
      const stopwatch = time.stopwatch();
      const timeout = time.timeout(SEND_TIMEOUT_MS);
      try {
        const answer = await answerOf(
          agent,
          attempt,
          allowHosts,
          AbortSignal.any([stop, timeout.signal]),
        );
        return { ...answer, duration_ms: Math.round(stopwatch().ranMs) };
      } catch (error) {
        stop.throwIfAborted();
        const { ranMs, stalledMs } = stopwatch();
        const fault = failureOf(error);
        if (stalledMs > STALLED_MAX_MS && fault.failure_kind !== "blocked_address")
          throw new ProcessStalledError();
        return { ...fault, duration_ms: Math.round(ranMs) };
      } finally {
        timeout.release();
      }
    },
    async close() {
      time.end();
      await agent.destroy();
    },
  };
}

/** @throws if no response arrives before `signal` aborts. */
async function answerOf(
  agent: Agent,
  { url, body, headers }: Attempt,
  allowHosts: ReadonlySet<string>,
  signal: AbortSignal,
) {
  const refusal = receiverFault(new URL(url), allowHosts);
  if (refusal !== null) throw new BlockedAddress(refusal);
  const {
    statusCode,
    headers: answered,
    body: content,
  } = await request(url, {
    dispatcher: agent,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      accept: "*/*",
      "accept-encoding": "identity",
      ...headers,
    },
    body,
    signal,
  });
  return readResponse(statusCode, answered, content);
}
