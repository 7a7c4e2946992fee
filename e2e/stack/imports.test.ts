import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { Supervisor, stackOf } from "./supervisor.ts";

const LINES = 60_000;
const CHUNK_BYTES = 256 * 1024;
const FILE = Buffer.from(
  Array.from(
    { length: LINES },
    (_, nth) =>
      `{"external_id":"t${nth}","amount_minor":${nth},"value_date":"2026-10-05","reference":"RG-${nth}"}\n`,
  ).join(""),
);

const dataDir = freshDataDir();
let stack: Supervisor;
let tenant: string;

beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR: dataDir });
});
afterAll(() => stack.end("SIGTERM"));
beforeEach(async () => {
  tenant = `t-${randomBytes(6).toString("hex")}`;
  await sql("select private.create_tenant($1, $1)", [tenant]);
  await sql(
    `insert into public.sources (tenant_id, name, kind, currency)
     values ($1, 'Bank', 'bank_statement', 'EUR')`,
    [tenant],
  );
});

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: stackOf(dataDir).env.DATABASE_URL });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** An uploaded file that is queued to be read. */
async function queueImport(): Promise<string> {
  const [made] = await sql<{ id: string }>(
    `insert into public.imports (tenant_id, source_no, status, format, bytes_total)
     select $1, source_no, 'queued', 'ndjson', $2 from public.sources where tenant_id = $1
     returning id`,
    [tenant, FILE.length],
  );
  const id = made?.id ?? "";
  for (let at = 0; at < FILE.length; at += CHUNK_BYTES)
    await sql("insert into private.import_chunks values ($1, $2, $3, $4)", [
      tenant,
      id,
      at / CHUNK_BYTES,
      FILE.subarray(at, at + CHUNK_BYTES),
    ]);
  await sql(
    `select graphile_worker.add_job('read_import',
       json_build_object('tenant_id', $1::text, 'import_id', $2::text), max_attempts => 6)`,
    [tenant, id],
  );
  return id;
}

type State = { status: string; accepted: number; lines: number; sum: string; chunks: number };

async function stateOf(id: string): Promise<State> {
  const [state] = await sql<State>(
    `select i.status, i.accepted_count::int as accepted, (select count(*)::int from public.lines l
       where l.tenant_id = $1) as lines,
       (select coalesce(sum(amount_minor), 0)::text from public.lines l
         where l.tenant_id = $1) as sum,
       (select count(*)::int from private.import_chunks c where c.import_id = $2) as chunks
     from public.imports i where i.id = $2`,
    [tenant, id],
  );
  if (!state) throw new Error(`There is no import ${id}.`);
  return state;
}

/** The backend PID of the reading transaction, once it runs this query. */
async function readingBackend(id: string, query: string): Promise<number> {
  return until(
    `the import to be at ${query}`,
    async () => {
      if ((await stateOf(id)).status === "done")
        throw new Error("It was done before it could be disturbed.");
      const [found] = await sql<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'tieout import'
           and state = 'active' and query ilike $1`,
        [`%${query}%`],
      );
      return found?.pid;
    },
    60_000,
  );
}

const WHOLE = {
  status: "done",
  accepted: LINES,
  lines: LINES,
  sum: String((LINES * (LINES - 1)) / 2),
  chunks: 0,
};
const isDone = (id: string) =>
  until("the import to be done", async () => (await stateOf(id)).status === "done", 150_000);

describe("an import is stored completely and once", () => {
  test.each(["copy", "finish_import"])("even if the matcher is killed at %s", async (moment) => {
    const id = await queueImport();
    await readingBackend(id, moment);
    process.kill(stack.pidOf("matcher"), "SIGKILL");
    expect(await stateOf(id)).toMatchObject({ lines: 0 });
    await isDone(id);
    expect(await stateOf(id)).toEqual(WHOLE);
  });

  test.each(["copy", "finish_import"])(
    "even if the database drops its connection at %s",
    async (moment) => {
      const id = await queueImport();
      await sql("select pg_terminate_backend($1)", [await readingBackend(id, moment)]);
      await isDone(id);
      expect(await stateOf(id)).toEqual(WHOLE);
    },
  );

  test("even if it is sent twice concurrently", async () => {
    const ids = await Promise.all([queueImport(), queueImport()]);
    await Promise.all(ids.map(isDone));
    const states = await Promise.all(ids.map(stateOf));
    expect(states.map(({ accepted }) => accepted).sort((a, b) => a - b)).toEqual([0, LINES]);
    expect(states[0]).toMatchObject({ lines: LINES, sum: WHOLE.sum });
  });

  test("a full disk stores nothing of an import, and a retry stores it completely", async () => {
    await sql(
      `create function private.no_space() returns trigger language plpgsql as $$
       begin raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
       create trigger no_space before insert on public.lines for each statement execute function private.no_space()`,
    );
    const refused = await queueImport();
    await until(
      "the import to fail",
      async () => (await stateOf(refused)).status === "failed",
      150_000,
    );
    await sql("drop function private.no_space cascade");
    expect(await stateOf(refused)).toMatchObject({ lines: 0, chunks: 0 });
    const [{ failure } = { failure: "" }] = await sql<{ failure: string }>(
      "select failure from public.imports where id = $1",
      [refused],
    );
    expect(failure).toContain("disk is full");
    const again = await queueImport();
    await isDone(again);
    expect(await stateOf(again)).toEqual(WHOLE);
  });
});
