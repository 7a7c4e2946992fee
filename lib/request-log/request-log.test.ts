import { expect, test, vi } from "vitest";
import { ApiError } from "../wire/errors.ts";
import { type Call, RequestLog } from "./request-log.ts";

const message = { headers: {}, body: null, bytes: null, truncated: false };
const call = (over: Partial<Call> = {}): Call => ({
  id: "req_1",
  tenant_id: "one",
  key_id: null,
  operation: "getMe",
  method: "GET",
  path: "/v1/me",
  query: "",
  resource: null,
  status: 200,
  error_code: null,
  refused: false,
  duration_ms: 1,
  credential: "api_key",
  actor: null,
  api_key_id: null,
  address: null,
  request: message,
  response: message,
  ...over,
});

function logged() {
  const write = vi.fn(async (rows: unknown[], _batch: string) => rows.length);
  return { write, log: new RequestLog(write) };
}

test("calls are written in a few batches, and no call waits for a write", async () => {
  const { log, write } = logged();
  for (let nth = 0; nth < 500; nth++) log.add(call());
  expect(write).not.toHaveBeenCalled();
  expect(log.lagSeconds()).toBeGreaterThan(0);
  await log.flush();
  expect(write.mock.calls.map(([rows]) => rows.length)).toEqual([200, 200, 100]);
  expect([log.figures.written, log.lagSeconds()]).toEqual([500, 0]);
});

test("a call without tenant and key is counted but not logged", async () => {
  const { log, write } = logged();
  log.add(call({ tenant_id: null }));
  await log.flush();
  expect(write).not.toHaveBeenCalled();
  expect(log.figures).toMatchObject({ unattributed: 1, written: 0 });
});

test("a batch whose write failed is written again under the same ID", async () => {
  const { log, write } = logged();
  write.mockRejectedValueOnce(new ApiError("unavailable", "Down."));
  log.add(call());
  await log.flush();
  log.add(call());
  await log.flush();
  const [first, again, other] = write.mock.calls;
  expect([again?.[1], again?.[0].length, other?.[0].length]).toEqual([first?.[1], 1, 1]);
  expect(log.figures).toMatchObject({ written: 2, dropped: 0 });
});

test("a batch that the database rejects is dropped and counted", async () => {
  const { log, write } = logged();
  write.mockRejectedValueOnce(new ApiError("internal", "No."));
  log.add(call());
  await log.flush();
  log.add(call());
  await log.flush();
  expect(log.figures).toMatchObject({ written: 1, dropped: 1 });
});

test("over the limits, calls are dropped and counted, first those of the busiest tenant", async () => {
  const { log } = logged();
  for (let nth = 0; nth < 6000; nth++) log.add(call());
  expect(log.figures.dropped).toBe(1000);
  for (let nth = 0; nth < 4000; nth++) log.add(call({ tenant_id: "two" }));
  expect(log.figures.dropped).toBe(1000);
  for (let nth = 0; nth < 2000; nth++) log.add(call({ tenant_id: "three" }));
  expect(log.figures.dropped).toBe(2000);
  await log.flush();
  log.add(call());
  expect(log.figures).toMatchObject({ written: 10_000, dropped: 2000 });
});

test("unverified calls that name one key are logged 60 times a minute, verified ones always", async () => {
  const { log, write } = logged();
  const named = { tenant_id: null, key_id: "tk_1" };
  for (let nth = 0; nth < 200; nth++) log.add(call(named));
  log.add(call({ ...named, key_id: "tk_2" }));
  log.add(call({ key_id: "tk_1" }));
  await log.flush();
  expect(write.mock.calls.flatMap(([rows]) => rows)).toHaveLength(62);
  expect(log.figures.dropped).toBe(140);
});

test("calls with made-up keys leave room for those of tenants", async () => {
  const { log } = logged();
  for (let nth = 0; nth < 12_000; nth++) log.add(call({ tenant_id: null, key_id: `tk_${nth}` }));
  expect(log.figures.dropped).toBe(7000);
  log.add(call());
  expect(log.figures.dropped).toBe(7000);
});

test("over 128 kB of bodies per second, a tenant's calls are logged without bodies", async () => {
  const { log, write } = logged();
  const body = { ...message, body: "x".repeat(4096), bytes: 4096 };
  for (let nth = 0; nth < 40; nth++) log.add(call({ response: body }));
  log.add(call({ tenant_id: "two", response: body }));
  await log.flush();
  const written = write.mock.calls.flatMap(([rows]) =>
    (rows as Call[]).map(({ response }) => response.body !== null),
  );
  expect([written.filter(Boolean).length, written.at(-1)]).toEqual([33, true]);
  expect(log.figures.without_body).toBe(8);
});
