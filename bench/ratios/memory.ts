import { type Call, calling, hotCalls } from "./calls.ts";
import { residentMiB } from "./rates.ts";
import type { Section } from "./report.ts";
import { startService } from "./server.ts";

const OPEN = 200;
const CALLS = 100_000;
const CONCURRENCY = 16;
const MAX_MIB = 250;
/** The allowed difference of two readings of a process that doesn't grow. */
const LEVEL_MIB = 10;

/** The memory that the web process holds after 100,000 calls, and after another 100,000. */
export async function memory(): Promise<Section> {
  const hot = await hotCalls(OPEN);
  const server = await startService();
  try {
    const readings = [residentMiB(server.pid)];
    for (let half = 0; half < 2; half++) {
      for (const [call, share] of [
        [hot.me, 0.5],
        [hot.board, 0.3],
        [hot.create, 0.2],
      ] as const) {
        await repeat(call, CALLS * share);
      }
      readings.push(residentMiB(server.pid));
    }
    const [before = 0, first = 0, second = 0] = readings;
    const mib = (value: number) => `${value.toFixed(0)} MiB`;
    return {
      title: "6. Resident memory of the web process",
      how:
        "Half `GET /v1/me`, three tenths the board of 50 " +
        "items, two tenths exceptions created; 16 at once.",
      findings: [
        {
          name: "after 100,000 calls",
          ours: mib(first),
          against: `started: ${mib(before)}`,
          figure: mib(first),
          target: `≤ ${MAX_MIB} MiB`,
          met: first <= MAX_MIB,
        },
        {
          name: "after another 100,000",
          ours: mib(second),
          against: mib(first),
          figure: `${(second - first).toFixed(0)} MiB more`,
          target: "none",
          met: second - first <= LEVEL_MIB,
        },
      ],
    };
  } finally {
    await server.stop();
  }

  async function repeat(call: Call, count: number): Promise<void> {
    const { once } = calling("service", server, call);
    let left = count;
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (left-- > 0) await once();
      }),
    );
  }
}
