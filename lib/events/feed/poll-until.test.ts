import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { lookAgain } from "./look-again.ts";

let tenants = 0;
const newTenant = () => `acme-${++tenants}`;

/** A call that waits, how often it looked, and how long it took. */
async function wait(
  tenantId: string,
  waitMs: number,
  { left = new AbortController(), finds = false } = {},
) {
  const startedAt = performance.now();
  let looks = 0;
  await lookAgain(
    { tenantId, waited: { ms: 0 }, callerLeft: () => left.signal },
    waitMs,
    async () => {
      looks += 1;
      return finds;
    },
  );
  return { looks, ms: performance.now() - startedAt };
}

test("a call looks every second until something is found, and at the end of its wait", async () => {
  const [finds, findsNothing] = await Promise.all([
    wait(newTenant(), 20_000, { finds: true }),
    wait(newTenant(), 1_500),
  ]);
  expect(finds).toMatchObject({ looks: 1 });
  expect(finds.ms).toBeLessThan(10_000);
  expect(findsNothing.looks).toBe(2);
  expect(findsNothing.ms).toBeGreaterThan(1_400);
});

test("a call whose caller has left looks no more, and delays no other", async () => {
  const tenant = newTenant();
  const left = new AbortController();
  const cancelled = Array.from({ length: 400 }, () => wait(tenant, 20_000, { left }));
  await sleep(100);
  left.abort();
  for (const { looks, ms } of await Promise.all(cancelled)) {
    expect(looks).toBe(0);
    expect(ms).toBeLessThan(5_000);
  }
  expect((await wait(tenant, 20_000, { finds: true })).ms).toBeLessThan(10_000);
});

test("many waiting calls look less often, and none ends before its time", async () => {
  const tenant = newTenant();
  const [all, other] = await Promise.all([
    Promise.all(Array.from({ length: 60 }, () => wait(tenant, 4_000))),
    wait(newTenant(), 4_000),
  ]);
  for (const { ms } of all) expect(ms).toBeGreaterThan(3_900);
  // Twenty a second all together, and each once at its end.
  const total = all.reduce((sum, { looks }) => sum + looks, 0);
  expect(total).toBeLessThanOrEqual(20 * 4 + 60);
  expect(other.looks).toBeGreaterThan(1);
});
