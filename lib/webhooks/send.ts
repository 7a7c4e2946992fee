import { Agent, request } from "undici";
import { BlockedAddress, pinnedConnector } from "./connector.ts";
import { faultOf } from "./fault.ts";
import { whyRefused } from "./receiver-address.ts";
import { type Answer, readAnswer } from "./receiver-answer.ts";
import type { Signed } from "./signature.ts";

const WITHIN_MS = 15_000;
const IDLE_MS = 4_000;
const IDLE_AT_MOST_MS = 60_000;
const USER_AGENT = "Tieout-Webhooks/1.0";

export type Attempt = { url: string; body: string; headers: Signed };

export type Outcome = { duration_ms: number } & (
  | Answer
  | { failure_kind: "timeout" | "connection_failed" | "blocked_address"; detail: string }
);

export type Sender = { send: (attempt: Attempt, stop: AbortSignal) => Promise<Outcome>; close: () => Promise<void> };

/** Connections are kept alive and pooled per host, as many as there are attempts: their number is capped where they are claimed. */
export function createSender(allowHosts: ReadonlySet<string>, connect = pinnedConnector(allowHosts)): Sender {
  const agent = new Agent({
    connect,
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_AT_MOST_MS,
  });

  return {
    async send(attempt, stop) {
      const startedAt = performance.now();
      const outcome = await answerOf(agent, attempt, allowHosts, stop).catch((error) => {
        stop.throwIfAborted();
        return faultOf(error);
      });
      return { ...outcome, duration_ms: Math.round(performance.now() - startedAt) };
    },
    close: () => agent.destroy(),
  };
}

/** @throws where there is no answer within 15 s, or none at all. */
async function answerOf(agent: Agent, { url, body, headers }: Attempt, allowHosts: ReadonlySet<string>, stop: AbortSignal) {
  const refusal = whyRefused(new URL(url), allowHosts);
  if (refusal !== null) throw new BlockedAddress(refusal);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(WITHIN_MS)]);
  const {
    statusCode,
    headers: answered,
    body: content,
  } = await request(url, {
    dispatcher: agent,
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": USER_AGENT, accept: "*/*", "accept-encoding": "identity", ...headers },
    body,
    signal,
  });
  return readAnswer(statusCode, answered, content);
}
