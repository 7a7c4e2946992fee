import type { Client } from "pg";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startFaultyBucket } from "#e2e/faulty-bucket.ts";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";
import { fetchConnection } from "./fetch-connection.ts";

const TENANT = "acme";
const MAPPING = {
  fields: { value_date: "Day", amount: "Amount", reference: "Text" },
  date_format: "YYYY-MM-DD",
  decimal_separator: ".",
};
const csv = (...rows: string[]) => ["Day,Amount,Text", ...rows, ""].join("\n");
const at = (second: number) => `2026-11-05T06:00:${`${second}`.padStart(2, "0")}.000Z`;

const fresh = schemaDatabases();
let client: Client;
let bucket: Awaited<ReturnType<typeof startFaultyBucket>>;
let id: string;
let connections = 0;

beforeAll(async () => {
  ({ client } = await fresh());
  await client.query("select private.create_tenant('acme', 'Acme')");
  await client.query(
    `select set_config('request.jwt.claims', '{"tenant_id": "acme", "actor": "system"}', false)`,
  );
}, 120_000);
beforeEach(async () => {
  bucket = await startFaultyBucket();
});
afterEach(() => bucket.close());

async function connect(options: Record<string, unknown> = {}): Promise<void> {
  id = `con_${++connections}`;
  const { rows } = await client.query(
    `insert into public.sources (id, name, kind, currency, time_zone, mapping)
     values ('src_' || $1::text, 'Bank', 'bank_statement', 'EUR', 'UTC', $2) returning source_no`,
    [connections, MAPPING],
  );
  const { credential: _, ...settings } = bucket.settings;
  const columns = { id, ...settings, stable_seconds: 0, ...options, ...rows[0] };
  const names = Object.keys(columns);
  await client.query(
    `insert into public.connections (${names.join()})
     select ${names.map((name) => `(given).${name}`).join()}
     from jsonb_populate_record(null::public.connections, $1) given`,
    [JSON.stringify(columns)],
  );
}

type Query = (text: string, values?: unknown[]) => Promise<unknown>;
const ask: Query = (text, values) => client.query(text, values);

/** Fetches as a worker does, then ends the imports that it queued, as a matcher does. */
async function fetchOnce(query: Query = ask): Promise<void> {
  const task = fetchConnection(new Set(["127.0.0.1"]));
  const payload = { tenant_id: TENANT, connection_id: id, by_hand: true };
  try {
    await task(payload, { query } as unknown as Parameters<typeof task>[1]);
  } finally {
    await client.query(
      `update public.imports set status = 'done', accepted_count = 1 where status = 'queued'`,
    );
  }
}

async function files(): Promise<{ path: string; outcome: string }[]> {
  const { rows } = await client.query(
    "select path, outcome from public.connection_files where connection_id = $1 order by id",
    [id],
  );
  return rows;
}

async function state() {
  const { rows } = await client.query(
    "select last_outcome, last_error from public.connections where id = $1",
    [id],
  );
  return rows[0];
}

test("imports other files while one is refused, and reports that file until it can be read", async () => {
  bucket.put("day-1.csv", csv("2026-11-05,1.00,A"), at(0));
  bucket.put("day-2.csv", csv("2026-11-06,2.00,B"), at(1));
  bucket.lock("day-1.csv");
  await connect();
  await fetchOnce();
  expect(await files()).toEqual([{ path: "day-2.csv", outcome: "imported" }]);
  expect(await state()).toEqual({
    last_outcome: "failed",
    last_error: "day-1.csv: The server refused the credential (HTTP 403).",
  });
  bucket.unlock("day-1.csv");
  await fetchOnce();
  expect((await files()).map(({ path }) => path)).toEqual(["day-2.csv", "day-1.csv"]);
  expect(await state()).toEqual({ last_outcome: "fetched", last_error: null });
});

test("never deletes an unread file that replaced an imported one", async () => {
  bucket.put("today.csv", csv("2026-11-05,1.00,A"), at(0));
  await connect();
  await fetchOnce();
  await client.query("update public.connections set afterwards = 'delete' where id = $1", [id]);
  bucket.put("other.csv", csv("2026-11-06,2.00,B"), at(1));
  bucket.whenRead((name) => {
    if (name === "other.csv") bucket.put("today.csv", csv("2026-11-06,3.00,C"), at(2));
  });
  await fetchOnce();
  expect(bucket.names().sort()).toEqual(["other.csv", "today.csv"]);
  await fetchOnce();
  await fetchOnce();
  expect(bucket.names()).toEqual([]);
  const paths = (await files()).map(({ path }) => path);
  expect(paths).toEqual(["today.csv", "other.csv", "today.csv"]);
});

test("yesterday's marker doesn't release today's file while it grows", async () => {
  bucket.put("day.csv", csv("2026-11-05,1.00,A"), at(0));
  bucket.put("day.csv.done", "", at(1));
  await connect({ waits_for_marker: true, stable_seconds: 1 });
  await fetchOnce();
  bucket.put("day.csv", csv("2026-11"), at(2));
  setTimeout(() => bucket.put("day.csv", csv("2026-11-06,1.00,B"), at(3)), 300);
  await fetchOnce();
  expect(await files()).toHaveLength(1);
  await fetchOnce();
  expect((await files()).map(({ outcome }) => outcome)).toEqual(["imported", "imported"]);
});

/** A worker that dies at a step: before or after a query or a call of the server, or never. */
class MortalWorker {
  steps = 0;
  readonly #last: number;

  constructor(last = Number.POSITIVE_INFINITY) {
    this.#last = last;
  }

  readonly lives = (): boolean => ++this.steps < this.#last;

  readonly query: Query = async (text, values) => {
    if (!this.lives()) throw new Error("killed");
    const answer = await client.query(text, values);
    if (!this.lives()) throw new Error("killed");
    return answer;
  };

  async fetches(): Promise<void> {
    bucket.whenCalled(this.lives);
    await fetchOnce(this.query).catch(({ message }) => expect(message).toBe("killed"));
    bucket.whenCalled(() => true);
  }
}

async function putNight(): Promise<void> {
  const day = csv("2026-11-05,1.00,A");
  for (const [second, name] of ["day.csv", "same day.csv"].entries()) {
    bucket.put(name, day, at(second));
    bucket.put(`${name}.done`, "", at(second));
  }
  await connect({ waits_for_marker: true, afterwards: "delete" });
}

test("imports each file once and leaves no partial import, wherever a worker dies", async () => {
  await putNight();
  const whole = new MortalWorker();
  await whole.fetches();
  const cleaning = new MortalWorker();
  await cleaning.fetches();
  expect(bucket.names()).toEqual([]);
  const moments = [
    ...Array.from({ length: whole.steps }, (_, step) => [step + 1, 0]),
    ...Array.from({ length: cleaning.steps }, (_, step) => [0, step + 1]),
  ];
  expect(moments.length).toBeGreaterThan(50);
  for (const [first = 0, second = 0] of moments) {
    const moment = `killed at step ${first} of a fetch, or ${second} of a cleaning`;
    await putNight();
    if (first > 0) await new MortalWorker(first).fetches();
    else await fetchOnce();
    if (second > 0) await new MortalWorker(second).fetches();
    for (let times = 0; times < 3; times++) await fetchOnce();
    const outcomes = (await files()).map(({ outcome }) => outcome);
    expect(outcomes.sort(), moment).toEqual(["duplicate", "imported"]);
    expect(bucket.names(), moment).toEqual([]);
    const { rows } = await client.query(
      `select i.status, count(c.seq)::integer as parts from public.imports i
       left join private.import_chunks c on c.tenant_id = i.tenant_id and c.import_id = i.id
       where i.source_no = (select source_no from public.connections where id = $1) group by i.id,
         i.status`,
      [id],
    );
    expect(rows, moment).toEqual([{ status: "done", parts: 1 }]);
  }
}, 300_000);
