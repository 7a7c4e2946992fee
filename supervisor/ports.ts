import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export function portIsFree(port: number, host?: string): Promise<boolean> {
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
  throw new Error("Found no free port between 20000 and 32000.");
}
