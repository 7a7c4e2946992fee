import { describe, expect, test, vi } from "vitest";
import { readQueued } from "./tenant-queue.ts";

const LARGE = 1024 * 1024;
const BUSY_MS = 20;

function busy(): number {
  const startedAt = performance.now();
  while (performance.now() - startedAt < BUSY_MS);
  return startedAt;
}

describe("large bodies of one tenant", () => {
  test("are read one by one, with a pause of three times the previous read", async () => {
    const starts = await Promise.all(
      Array.from({ length: 4 }, () => readQueued("acme", LARGE, busy)),
    );
    for (const [n, start] of starts.entries()) {
      if (n > 0) expect(start - (starts[n - 1] ?? 0)).toBeGreaterThanOrEqual(4 * BUSY_MS - 4);
    }
  });

  test("delay neither small bodies nor other tenants", async () => {
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    await Promise.all([
      readQueued("acme", LARGE, busy),
      readQueued("acme", LARGE, note("acme's second")),
      readQueued("globex", LARGE, note("globex's")),
      readQueued("acme", 100, note("a small one")),
    ]);
    expect(order).toEqual(["a small one", "globex's", "acme's second"]);
  });

  test("are refused while 40 are waiting, and accepted again afterwards", async () => {
    const waiting = Array.from({ length: 40 }, () => readQueued("initech", LARGE, () => "read"));
    await expect(readQueued("initech", LARGE, () => "read")).rejects.toMatchObject({
      code: "rate_limited",
    });
    await Promise.all(waiting);
    expect(
      await vi.waitFor(() => readQueued("initech", LARGE, () => "read"), { timeout: 60_000 }),
    ).toBe("read");
  });

  test("that fail to parse don't block the next one", async () => {
    const refused = readQueued("umbrella", LARGE, () => {
      throw new Error("not JSON");
    });
    const next = readQueued("umbrella", LARGE, () => "read");
    await expect(refused).rejects.toThrow("not JSON");
    await expect(next).resolves.toBe("read");
  });
});
