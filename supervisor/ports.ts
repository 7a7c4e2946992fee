import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const LAST_OWNER_ENDS_TIMEOUT_MS = 1_000;

/** Grants the parts of a supervisor that was just killed the moment that they take to end. */
export async function portGetsFree(port: number, host?: string): Promise<boolean> {
  const deadline = performance.now() + LAST_OWNER_ENDS_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (await portIsFree(port, host)) return true;
    await sleep(50);
  }
  return false;
}

function portIsFree(port: number, host?: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen({ port, host }, () => probe.close(() => done(true)));
  });
}

/** Below the range that systems take outgoing ports from, so that a restarted part finds its port free. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await portIsFree(port, "127.0.0.1")) return port;
  }
  throw new Error("No free port between 20000 and 32000.");
}
