import type { Client } from "pg";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";

const TENANT = "acme";
const NOON = 12;
const DAY_HOURS = 24;
const fresh = schemaDatabases();
let client: Client;
let id: string;
let connections = 0;

/** A zone in which it is about noon, so that no test runs into the next day. */
function zoneAtNoon(): string {
  const west = new Date().getUTCHours() - NOON;
  return `Etc/GMT${west < 0 ? "-" : "+"}${Math.abs(west)}`;
}
const ZONE = zoneAtNoon();

beforeAll(async () => {
  ({ client } = await fresh());
  await client.query("select private.create_tenant('acme', 'Acme')");
  await client.query(
    `select set_config('request.jwt.claims', '{"tenant_id": "acme", "actor": "system"}', false)`,
  );
  await client.query("insert into public.calendars (id, name) values ('cal_1', 'Every day')");
  await setCalendar(1, []);
}, 120_000);

/** Sets a calendar that is open every day, except for holidays that many days from today. */
async function setCalendar(version: number, holidays: number[]): Promise<void> {
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  await client.query(
    `insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
     select 'cal_1', $1, 'UTC', $2, coalesce(jsonb_agg(jsonb_build_object('name', 'Holiday',
       'intervals', '[]'::jsonb, 'date', (now() at time zone $3)::date + away)), '[]')
     from unnest($4::integer[]) away`,
    [
      version,
      JSON.stringify(days.map((day) => ({ day, from: "08:00", to: "18:00" }))),
      ZONE,
      holidays,
    ],
  );
  await client.query("update public.calendars set version = $1 where id = 'cal_1'", [version]);
}

/** Creates a connection, dated yesterday, of a bank where it is noon. */
async function connect(retryUntil: string, settings: Record<string, unknown> = {}): Promise<void> {
  id = `con_${++connections}`;
  const { rows } = await client.query(
    `insert into public.sources (id, name, kind, currency, time_zone)
     values ('src_' || $1, 'Bank', 'bank_statement', 'EUR', $2) returning source_no`,
    [connections, ZONE],
  );
  const columns = {
    id,
    kind: "sftp",
    address: "sftp://bank.example/out",
    auth: "password",
    user_name: "acme",
    ...settings,
    source_no: rows[0].source_no,
    schedule: { calendar_id: "cal_1", at: "06:30", retry_until: retryUntil },
  };
  const names = Object.keys(columns);
  await client.query(
    `insert into public.connections (${names.join()}, created_at, expected_at)
     select ${names.map((name) => `(given).${name}`).join()}, now() - interval '1 day',
       ((now() at time zone $2)::date + $3::time) at time zone $2
     from jsonb_populate_record(null::public.connections, $1) given`,
    [JSON.stringify(columns), ZONE, retryUntil],
  );
}

/** Hours from the beginning of today, by the bank's clock. */
async function hours(column: "expected_at" | "next_look_at"): Promise<number | null> {
  const { rows } = await client.query(
    `select extract(epoch from ${column} - (now() at time zone $2)::date::timestamp at time zone $2)
       / 3600 as hours from public.connections where id = $1`,
    [id, ZONE],
  );
  return rows[0].hours === null ? null : Number(rows[0].hours);
}

async function state() {
  const { rows } = await client.query(
    `select last_outcome, last_error, failing_since is not null as is_failing,
       (select count(*)::integer from public.events where type = 'connection.failing'
         and data #>> '{connection,id}' = connections.id) as alerts
     from public.connections where id = $1`,
    [id],
  );
  return rows[0];
}

async function missingFiles(): Promise<number> {
  const { rowCount } = await client.query(
    "select from public.exceptions where reason_code = 'file_missing' and details ->> 'connection_id' = $1",
    [id],
  );
  return rowCount ?? 0;
}

async function fetchOnce(error: string | null = null, found = 0): Promise<void> {
  const { rows } = await client.query("select private.begin_fetch($1, $2, true) as fetch", [
    TENANT,
    id,
  ]);
  await client.query("select private.end_fetch($1, $2, $3, $4)", [
    TENANT,
    id,
    rows[0].fetch.lease,
    { found, error, needs_person: false },
  ]);
}

let files = 0;
/** Ends the import of a file that came an hour ago, at eleven. */
async function endImport(outcome: {
  status: "done" | "failed";
  accepted: number;
  refused: number;
}) {
  const name = `day-${++files}.csv`;
  await client.query(
    `insert into public.imports (id, source_no, status, format, file_name)
     select 'imp_' || $2, source_no, 'reading', 'csv', $2 from public.connections where id = $1`,
    [id, name],
  );
  await client.query(
    `insert into public.connection_files (connection_id, source_no, path, bytes, modified_at,
       outcome, import_id, sha256, created_at)
     select id, source_no, $2, 1, now(), 'importing', 'imp_' || $2, encode(sha256($2::bytea), 'hex'),
       now() - interval '1 hour' from public.connections where id = $1`,
    [id, name],
  );
  await client.query(
    `update public.imports set status = $2, accepted_count = $3, refused_count = $4,
       refusals = '[{"line": 7, "message": "No date."}]', failure = $5 where id = 'imp_' || $1`,
    [
      name,
      outcome.status,
      outcome.accepted,
      outcome.refused,
      outcome.status === "failed" ? "Cut off." : null,
    ],
  );
  return name;
}

let version = 1;
beforeEach(() => setCalendar(++version, []));

test("receiving a mail plans no fetch, because mail can't be fetched", async () => {
  await connect("18:00", { kind: "mail", auth: "none", allowed_senders: ["@bank.example"] });
  await fetchOnce(null, 1);
  expect(await hours("next_look_at")).toBeNull();
});

test("a file that is expected today, or late, stays so when its calendar changes", async () => {
  await connect("18:00");
  await setCalendar(++version, [9]);
  expect(await hours("expected_at")).toBe(18);

  await connect("10:00");
  await setCalendar(++version, [8]);
  expect(await hours("expected_at")).toBe(10);
  await client.query("select private.open_missing_files()");
  expect([await missingFiles(), await hours("expected_at")]).toEqual([1, DAY_HOURS + 10]);
  // Its day has been checked, but the file is still looked for.
  await setCalendar(++version, [7]);
  expect(await hours("expected_at")).toBe(DAY_HOURS + 10);
  expect(await hours("next_look_at")).toBeLessThan(NOON + 2);
  await client.query("select private.open_missing_files()");
  expect(await missingFiles()).toBe(1);
});

test("no file is expected on a day that becomes a holiday, and one is when it no longer is", async () => {
  await connect("18:00");
  await setCalendar(++version, [0, 1]);
  expect(await hours("expected_at")).toBe(2 * DAY_HOURS + 18);
  await setCalendar(++version, []);
  expect(await hours("expected_at")).toBe(DAY_HOURS + 18);
});

test("a file that came in time but can't be read counts as missing once its day was checked", async () => {
  await connect("10:00");
  await client.query(
    "update public.connections set expected_at = expected_at + interval '1 day' where id = $1",
    [id],
  );
  await endImport({ status: "failed", accepted: 0, refused: 0 });
  expect(await missingFiles()).toBe(1);

  await connect("18:00");
  await endImport({ status: "failed", accepted: 0, refused: 0 });
  expect(await missingFiles()).toBe(0);
});

test("unreadable lines are reported once, until a file is read completely", async () => {
  await connect("18:00");
  const [first, second] = [
    await endImport({ status: "done", accepted: 209, refused: 2 }),
    await endImport({ status: "done", accepted: 209, refused: 2 }),
  ];
  const { rows } = await client.query(
    "select outcome, error from public.connection_files where path = $1",
    [first],
  );
  const error = "2 of its 211 lines could not be read, such as line 7: No date.";
  expect(rows).toEqual([{ outcome: "imported", error }]);
  await fetchOnce();
  expect(await state()).toEqual({
    last_outcome: "nothing_new",
    last_error: `${second}: ${error}`,
    is_failing: true,
    alerts: 1,
  });
  await endImport({ status: "done", accepted: 211, refused: 0 });
  await fetchOnce();
  expect(await state()).toMatchObject({ last_error: null, is_failing: false, alerts: 1 });
});

test("the end of an import doesn't fetch from a paused connection, and retries no failed files", async () => {
  await connect("18:00", { afterwards: "delete", status: "paused" });
  await endImport({ status: "done", accepted: 1, refused: 0 });
  const { rows } = await client.query(
    "select payload ->> 'by_hand' as by_hand from graphile_worker._private_jobs where key like $1",
    [`connection:${id}%`],
  );
  expect(rows).toEqual([{ by_hand: "false" }]);
  const begun = await client.query("select private.begin_fetch($1, $2, false) as fetch", [
    TENANT,
    id,
  ]);
  expect(begun.rows).toEqual([{ fetch: null }]);
});

test("a different host key is reported even if the connection has been failing for long", async () => {
  await connect("18:00", { host_key: "SHA256:first" });
  for (let attempt = 1; attempt <= 4; attempt++) await fetchOnce("The connection failed.");
  expect(await state()).toMatchObject({ alerts: 1 });
  const { rows } = await client.query("select private.accepts_host_key($1, $2, $3) as accepted", [
    TENANT,
    id,
    "SHA256:second",
  ]);
  expect(rows).toEqual([{ accepted: false }]);
  await client.query("update public.connections set lease = 'lck_1' where id = $1", [id]);
  await client.query("select private.end_fetch($1, $2, 'lck_1', $3)", [
    TENANT,
    id,
    { found: 0, error: "The server presented a different host key.", needs_person: true },
  ]);
  expect(await state()).toMatchObject({ last_error: expect.stringContaining("key"), alerts: 2 });
});

test("a file whose import was undone is fetched again only on request", async () => {
  await connect("18:00");
  const path = await endImport({ status: "done", accepted: 3, refused: 0 });
  await client.query("update public.imports set status = 'undone' where id = 'imp_' || $1", [path]);
  const { rows } = await client.query(
    `select jsonb_build_object('path', path, 'bytes', bytes, 'modified_at',
       private.iso(modified_at)) as file from public.connection_files where path = $1`,
    [path],
  );
  const stateOf = async (by_hand: boolean) => {
    const known = await client.query("select state from private.known_files($1, $2, $3, $4)", [
      TENANT,
      id,
      JSON.stringify([rows[0].file]),
      by_hand,
    ]);
    return known.rows[0].state;
  };
  expect([await stateOf(false), await stateOf(true)]).toEqual(["known", "new"]);
  const begun = await client.query("select private.begin_fetch($1, $2, true) as fetch", [
    TENANT,
    id,
  ]);
  await client.query("select private.begin_file($1, $2, $3, $4)", [
    TENANT,
    id,
    begun.rows[0].fetch.lease,
    rows[0].file,
  ]);
  const listed = await client.query(
    "select outcome from public.connection_files where connection_id = $1",
    [id],
  );
  expect(listed.rows).toEqual([{ outcome: "fetching" }]);
});

test("no file is listed as being fetched after its fetch has ended", async () => {
  await connect("18:00");
  const { rows } = await client.query("select private.begin_fetch($1, $2, true) as fetch", [
    TENANT,
    id,
  ]);
  const { lease } = rows[0].fetch;
  const file = { path: "day.csv", bytes: 1, modified_at: "2026-11-05T06:00:00Z" };
  await client.query("select private.begin_file($1, $2, $3, $4)", [TENANT, id, lease, file]);
  await client.query("select private.end_fetch($1, $2, $3, $4)", [
    TENANT,
    id,
    lease,
    { found: 0, error: "The connection ended.", needs_person: false },
  ]);
  const left = await client.query("select from public.connection_files where connection_id = $1", [
    id,
  ]);
  expect(left.rowCount).toBe(0);
});

let batches = 0;
/** A batch of a pair whose rules push to the connection. */
async function batchToPush(): Promise<string> {
  const batch = `bat_${++batches}`;
  await client.query(
    `insert into public.pairs (left_source_no, right_source_no)
     select min(s.source_no), c.source_no from public.connections c, public.sources s
     where c.id = $1 group by c.source_no on conflict do nothing`,
    [id],
  );
  await client.query(
    `insert into public.reconciliations (id, name, period_start, period_end, left_source,
       right_source, pair_no, left_source_id, right_source_id)
     select 'rcn_' || $2, 'Month', month, month + interval '1 month - 1 day', 'left', 'right',
       p.pair_no, l.id, r.id
     from public.pairs p join public.sources l on l.source_no = p.left_source_no
     join public.sources r on r.source_no = p.right_source_no
     join public.connections c on c.source_no = p.right_source_no and c.id = $1
     cross join lateral (select make_date(2026, $3, 1) as month) of_batch`,
    [id, batch, batches],
  );
  await client.query(
    `insert into public.entry_rules (pair_no, version, rules, ledger)
     select pair_no, 1, '{}', jsonb_build_object('push', jsonb_build_object('connection_id', $2::text))
     from public.reconciliations where id = 'rcn_' || $1 on conflict do nothing`,
    [batch, id],
  );
  await client.query(
    `insert into public.entry_batches (id, pair_no, reconciliation_id, statement_number,
       posting_date, number, entry_count, reversal_count, sums, digest, push)
     select $1, pair_no, id, 1, period_end, $2, 1, 0, '[]', repeat('0', 64),
       '{"state": "waiting", "files": []}' from public.reconciliations where id = 'rcn_' || $1`,
    [batch, batches],
  );
  return batch;
}

const endPush = (batch: string, error: string | null) =>
  client.query("select private.end_entry_push($1, $2, $3)", [
    TENANT,
    batch,
    { state: error ? "failed" : "done", files: [], error, needs_person: true },
  ]);

test("a push that fails is reported once, however often files are fetched in between", async () => {
  await connect("18:00");
  const batch = await batchToPush();
  for (let attempt = 1; attempt <= 3; attempt++) {
    await endPush(batch, "The disk is full.");
    await fetchOnce();
  }
  expect(await state()).toEqual({
    last_outcome: "nothing_new",
    last_error: expect.stringMatching(/^Batch 2026-\d{4} was not pushed: The disk is full\.$/),
    is_failing: true,
    alerts: 1,
  });
  await fetchOnce("The server responded with HTTP 500.");
  await fetchOnce();
  expect(await state()).toMatchObject({ last_error: expect.stringContaining("disk"), alerts: 1 });
  await endPush(batch, null);
  expect(await state()).toMatchObject({ last_error: null, is_failing: false, alerts: 1 });
});

test("a connection that is only pushed to recovers with a successful push, and reports the next failure", async () => {
  await connect("18:00");
  const [first, second, third] = [await batchToPush(), await batchToPush(), await batchToPush()];
  await endPush(first, "The disk is full.");
  await endPush(second, "The disk is full.");
  await endPush(first, null);
  expect(await state()).toMatchObject({ is_failing: true, alerts: 1 });
  await endPush(second, null);
  expect(await state()).toMatchObject({ last_error: null, is_failing: false });
  await endPush(third, "The disk is full.");
  expect(await state()).toMatchObject({ is_failing: true, alerts: 2 });
});
