import type { Client } from "pg";
import { beforeEach, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";

const PARTITIONED = ["events", "webhook_attempts", "webhook_deliveries"] as const;
const DAY_MS = 86_400_000;

const fresh = schemaDatabases();
let client: Client;
/** One moment per test, because a day could end between two. */
let now: Date;

beforeEach(async () => {
  ({ client } = await fresh());
  await client.query(
    `select private.create_tenant(t, t) from unnest('{acme,globex}'::text[]) t;
     insert into webhooks (id, tenant_id, url, events)
     values ('whk_1', 'acme', 'https://hooks.example.com/', '{exception.created}')`,
  );
  now = new Date();
  await rollTo(now);
}, 60_000);

/**
 * Rolls partitions until nothing is left to do, as the worker does. @returns how many were created
 * and dropped
 */
async function rollTo(at: Date): Promise<number> {
  for (let total = 0; ; total++) {
    const { rows } = await client.query<{ done: number }>(
      "select private.roll_partitions($1) as done",
      [at],
    );
    if (rows[0]?.done === 0) return total;
  }
}

async function partitionsOf(parent: string) {
  const { rows } = await client.query<{ name: string; ends: Date | number; begins: Date | number }>(
    "select * from private.partitions_of($1) order by begins",
    [parent],
  );
  return rows;
}

async function rowCounts(): Promise<number[]> {
  const { rows } = await client.query<Record<string, number>>(
    `select ${PARTITIONED.map((name) => `(select count(*)::integer from ${name}) as ${name}`).join(", ")}`,
  );
  return PARTITIONED.map((name) => rows[0]?.[name] ?? -1);
}

/** An ID as the database generates it at this time. */
function idAt(prefix: string, at: Date): string {
  return `${prefix}_${at.getTime().toString(16).padStart(12, "0")}${"a".repeat(20)}`;
}

function daysFrom(moment: Date | number, days: number): Date {
  return new Date(Number(moment) + days * DAY_MS);
}

async function emit(): Promise<void> {
  await client.query(
    "insert into events (tenant_id, type, data) values ('acme', 'exception.created', '{}')",
  );
}

async function send(): Promise<number> {
  const { rows } = await client.query(
    "select * from private.claim_webhook_deliveries('{whk_1}', 100)",
  );
  const results = rows.map(({ attempt_id }) => ({ attempt_id, status_code: 200, duration_ms: 5 }));
  await client.query("select private.settle_webhook_attempts($1)", [JSON.stringify(results)]);
  return rows.length;
}

test("partitions older than 30 days are dropped when nothing in them is pending", async () => {
  await emit();
  expect(await send()).toBe(1);
  await emit();
  const [first] = await partitionsOf("webhook_deliveries");
  const past = daysFrom(first?.ends as Date, 30);

  await rollTo(daysFrom(past, -0.001));
  expect(await rowCounts()).toEqual([2, 1, 2]);
  // One of the deliveries is still pending.
  await rollTo(past);
  expect(await rowCounts()).toEqual([2, 1, 2]);
  expect(await send()).toBe(1);
  expect(await rollTo(past)).toBe(3);
  expect(await rowCounts()).toEqual([0, 0, 0]);
  for (const name of PARTITIONED)
    expect((await partitionsOf(name))[0]?.begins).toEqual(first?.ends);
});

test("the next partitions exist a day before they are needed, and no later ones", async () => {
  for (const name of [...PARTITIONED, "request_log"]) {
    const parts = await partitionsOf(name);
    expect([parts.length, parts[0]?.begins, parts[1]?.ends]).toEqual([
      2,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
    expect(parts[0]?.ends).toEqual(parts[1]?.begins);
    expect(Number(parts[1]?.begins)).toBeGreaterThan(now.getTime() + DAY_MS);
  }
  const [, last] = await partitionsOf("events");
  await rollTo(daysFrom(last?.begins as Date, -1.001));
  expect(await partitionsOf("events")).toHaveLength(2);
  await rollTo(daysFrom(last?.begins as Date, -1));
  expect((await partitionsOf("events")).map(({ begins }) => begins)[2]).toEqual(
    daysFrom(last?.begins as Date, 10),
  );
});

test("the days of the request log are dropped after 14 days", async () => {
  const [first] = await partitionsOf("request_log");
  await rollTo(daysFrom(first?.ends as Date, 14 - 0.001));
  expect((await partitionsOf("request_log"))[0]?.name).toBe(first?.name);
  await rollTo(daysFrom(first?.ends as Date, 14));
  expect((await partitionsOf("request_log"))[0]?.begins).toEqual(first?.ends);
});

test("an event without its own partition is stored and sent", async () => {
  const late = daysFrom(Date.now(), 100);
  await client.query(
    "insert into events (id, tenant_id, type, data) values ($1, 'acme', 'exception.created', '{}')",
    [idAt("evt", late)],
  );
  expect(await rowCounts()).toEqual([1, 0, 1]);
  expect(await send()).toBe(1);
  // A partition that is created late still ends after the event.
  await rollTo(late);
  expect(await rowCounts()).toEqual([1, 1, 1]);
  const parts = await partitionsOf("events");
  const { rows } = await client.query<{ name: string }>(
    "select tableoid::regclass::text as name from events",
  );
  expect(rows).toEqual([{ name: `partitions.${parts.at(-2)?.name}` }]);
});

test("an event whose ID has no time is stored by its order, and delays nothing", async () => {
  await client.query(
    `insert into events (id, tenant_id, type, data, once_key)
     values ('evt_odd', 'acme', 'exception.created', '{"n": 1}', 'k')`,
  );
  const [, last] = await partitionsOf("events");
  await rollTo(daysFrom(last?.begins as Date, 25));
  const { rows } = await client.query<{ name: string; data: object }>(
    "select tableoid::regclass::text as name, data from events",
  );
  expect(rows).toEqual([
    { name: `partitions.${(await partitionsOf("events")).at(-1)?.name}`, data: { n: 1 } },
  ]);
  expect(await rowCounts()).toEqual([1, 0, 1]);
});

test("an event with a once_key is stored once per tenant and type, across partitions", async () => {
  const once = (tenant: string, at: Date, type = "exception.created") =>
    client.query(
      `insert into events (id, tenant_id, type, data, once_key) values ($1, $2, $3, '{}', 'k')
       returning id`,
      [idAt("evt", at), tenant, type],
    );
  expect((await once("acme", new Date())).rowCount).toBe(1);
  expect((await once("acme", daysFrom(Date.now(), 20))).rowCount).toBe(0);
  expect((await once("globex", daysFrom(Date.now(), 20))).rowCount).toBe(1);
  expect((await once("acme", daysFrom(Date.now(), 20), "exception.updated")).rowCount).toBe(1);
  expect(await rowCounts()).toEqual([3, 0, 1]);

  const forget = (age: string) =>
    client.query(
      `update private.event_once set at = now() - $1::interval where tenant_id = 'acme'
         and type = 'exception.created'`,
      [age],
    );
  await forget("30 days -1 minute");
  await client.query("select private.purge_webhook_deliveries()");
  await client.query("select private.emit('acme', 'exception.created', '{}', 'k')");
  expect((await rowCounts())[0]).toBe(3);
  await forget("30 days 1 second");
  await client.query("select private.purge_webhook_deliveries()");
  await client.query("select private.emit('acme', 'exception.created', '{}', 'k')");
  expect((await rowCounts())[0]).toBe(4);
});

test("a unique key allows one delivery of an event per webhook", async () => {
  await emit();
  const again = `insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status)
    select private.delivery_id(event_id, webhook_id), tenant_id, webhook_id, event_id, type,
      'delivered' from webhook_deliveries`;
  await expect(client.query(again)).rejects.toMatchObject({ code: "23505" });
});

test("a delivery is settled by the ID of its attempt alone", async () => {
  await emit();
  const { rows } = await client.query(
    "select * from private.claim_webhook_deliveries('{whk_1}', 100)",
  );
  await client.query("select private.settle_webhook_attempts($1)", [
    JSON.stringify(
      rows.map(({ attempt_id }) => ({ attempt_id, status_code: 200, duration_ms: 5 })),
    ),
  ]);
  expect((await client.query("select status from webhook_deliveries")).rows).toEqual([
    { status: "delivered" },
  ]);
});
