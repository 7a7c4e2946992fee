import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const PORT_RELEASE_TIMEOUT_MS = 1_000;

/**
 * Waits up to a second for a port, because the processes of a killed supervisor take a moment to
 * end.
 * @returns whether it is free
 */
export async function waitForFreePort(port: number, host?: string): Promise<boolean> {
  const deadline = performance.now() + PORT_RELEASE_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (await isPortFree(port, host)) return true;
    await sleep(50);
  }
  return false;
}

function isPortFree(port: number, host?: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen({ port, host }, () => probe.close(() => done(true)));
  });
}

/**
 * A free port below the range for outgoing connections, so that it is still free when a process
 * restarts.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await isPortFree(port, "127.0.0.1")) return port;
  }
  throw new Error("No free port between 20000 and 32000.");
}
