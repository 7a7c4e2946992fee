import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { pollUntil } from "./poll-until.ts";

let tenants = 0;
const newTenant = () => `acme-${++tenants}`;

/** Waits like a call. Returns how often it polled, and how long it took. */
async function wait(
  tenantId: string,
  waitMs: number,
  { left = new AbortController(), finds = false } = {},
) {
  const startedAt = performance.now();
  let polls = 0;
  await pollUntil(
    { tenantId, waited: { ms: 0 }, callerLeft: () => left.signal },
    waitMs,
    async () => {
      polls += 1;
      return finds;
    },
  );
  return { polls, ms: performance.now() - startedAt };
}

test("a waiting call polls every second until something is found, and once when its wait ends", async () => {
  const [finds, findsNothing] = await Promise.all([
    wait(newTenant(), 20_000, { finds: true }),
    wait(newTenant(), 1_500),
  ]);
  expect(finds).toMatchObject({ polls: 1 });
  expect(finds.ms).toBeLessThan(10_000);
  expect(findsNothing.polls).toBe(2);
  expect(findsNothing.ms).toBeGreaterThan(1_400);
});

test("a call stops polling when its caller has left, and delays no other call", async () => {
  const tenant = newTenant();
  const left = new AbortController();
  const cancelled = Array.from({ length: 400 }, () => wait(tenant, 20_000, { left }));
  await sleep(100);
  left.abort();
  for (const { polls, ms } of await Promise.all(cancelled)) {
    expect(polls).toBe(0);
    expect(ms).toBeLessThan(5_000);
  }
  expect((await wait(tenant, 20_000, { finds: true })).ms).toBeLessThan(10_000);
});

test("many waiting calls poll less often, and none ends before its time", async () => {
  const tenant = newTenant();
  const [all, other] = await Promise.all([
    Promise.all(Array.from({ length: 60 }, () => wait(tenant, 4_000))),
    wait(newTenant(), 4_000),
  ]);
  for (const { ms } of all) expect(ms).toBeGreaterThan(3_900);
  // Twenty polls per second in total, and one at the end of each call.
  const total = all.reduce((sum, { polls }) => sum + polls, 0);
  expect(total).toBeLessThanOrEqual(20 * 4 + 60);
  expect(other.polls).toBeGreaterThan(1);
});
