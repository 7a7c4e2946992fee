import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { log } from "#lib/runtime/log.ts";
import { signMovedChains } from "#lib/security-events/sign-chain.ts";
import { logSignings } from "./log-signings.ts";

const EVERY_MS = 10_000;
const CONNECT_WITHIN_MS = 5_000;
const SIGN_WITHIN_MS = 60_000;

/** Signs what was added to the audit trail, again and again. Outlives the database; any number of workers may run it. */
export function startAuditSigner(connectionString: string): () => Promise<void> {
  const stopping = new AbortController();
  const running = keepSigning(connectionString, stopping.signal);
  return async () => {
    stopping.abort();
    await running;
  };
}

async function keepSigning(connectionString: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({
      connectionString,
      application_name: "audit-signer",
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: SIGN_WITHIN_MS,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      while (!signal.aborted) {
        logSignings(await signMovedChains((text, values) => client.query(text, values)));
        await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
      }
    } catch (error) {
      log.warn({ err: error }, "audit signer waiting for the database");
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
    } finally {
      await client.end().catch(() => {});
    }
  }
}
