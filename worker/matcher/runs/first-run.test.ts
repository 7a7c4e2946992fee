import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { type FileLine, FreshTenant, type RunReport } from "#e2e/fresh-tenant.ts";
import { until } from "#e2e/until.ts";
import { schemaDatabases } from "../../../bin/dev/generate/schema-databases.ts";
import { withStatementTimeout } from "./statement-timeout.ts";

/**
 * Lines per side. Too few for an automatic analyze, so the planner's statistics stay as they are.
 */
const LINES = 3_000;
/** Enough for an automatic analyze. */
const MANY_LINES = 12_000;
const TABLES = [
  "public.lines",
  "private.open_lines",
  "public.matches",
  "public.match_members",
  "private.exception_lines",
  "public.exceptions",
];

const fresh = schemaDatabases();
let url: string;
let client: Client;

/** A database that has analyzed other tenants' rows, and no longer analyzes automatically. */
beforeAll(async () => {
  ({ url, client } = await fresh());
  for (const table of TABLES)
    await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await firstRun("others", "sources first", async () => {});
  await client.query("analyze");
}, 120_000);

const lines = (count: number, offset: number): FileLine[] =>
  Array.from({ length: count }, (_, n) => ({
    day: `2026-03-${String(1 + (n % 28)).padStart(2, "0")}`,
    // One in ten has another amount on the other side, and stays open or is suggested.
    amount_minor: 1_000 + n * 7 + (n % 10 === 0 ? offset : 0),
    reference: `RG-${n}`,
    counterparty: `Customer ${n % 97}`,
  }));

type Order = "sources first" | "pair first";

/**
 * Both sources filled by files, and the first run of their pair, with or without statistics of the
 * new rows.
 */
async function firstRun(
  id: string,
  order: Order,
  analyze: () => Promise<unknown>,
): Promise<RunReport & { blocks: number }> {
  const tenant = await FreshTenant.create(id, url, client);
  const [left, right] = [await tenant.source("Left"), await tenant.source("Right")];
  const before = order === "pair first" ? await tenant.bind(left, right) : undefined;
  await tenant.import(left, lines(LINES, 0));
  await tenant.import(right, lines(LINES, 13));
  const period = before ?? (await tenant.bind(left, right));
  await tenant.prepare();
  await analyze();
  const from = await blocksRead();
  const report = await tenant.run(period);
  return { ...report, blocks: (await blocksRead()) - from };
}

/** Blocks of tables and indexes that all sessions have read so far, cached or not. */
async function blocksRead(tables = TABLES): Promise<number> {
  await until("matchers have reported what they read and disconnected", async () => {
    const { rows } = await client.query(
      "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    return rows.length === 0;
  });
  await client.query("select pg_stat_force_next_flush()");
  const { rows } = await client.query<{ blocks: string }>(
    `select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit,
       0)) as blocks from pg_statio_user_tables
     where (schemaname || '.' || relname) = any ($1)`,
    [tables],
  );
  return Number(rows[0]?.blocks);
}

test.each<Order>(["sources first", "pair first"])(
  "the first run of a tenant that no statistics know, %s, reads no more than one that they know",
  async (order) => {
    const unknown = await firstRun(`unknown-${order[0]}`, order, async () => {});
    const known = await firstRun(`known-${order[0]}`, order, () => client.query("analyze"));
    expect(unknown).toMatchObject({
      status: "done",
      failure: null,
      changed: { added: known.changed.added },
    });
    expect(known.changed.added).toBeGreaterThan(LINES * 0.9);
    expect(unknown.blocks / known.blocks).toBeLessThan(1.3);
  },
);

test("matching a line reads its exception, not all open ones", async () => {
  const tenant = await FreshTenant.create("exceptions", url, client);
  const [left, right] = [await tenant.source("Left"), await tenant.source("Right")];
  const period = await tenant.bind(left, right);
  const open = lines(500, 0);
  await tenant.import(left, open);
  await tenant.run(period);
  await tenant.import(right, open.slice(0, 1));
  const tables = ["public.exceptions", "private.exception_lines", "private.open_lines"];
  const from = await blocksRead(tables);
  expect(await tenant.run(period)).toMatchObject({ status: "done", changed: { added: 1 } });
  expect((await blocksRead(tables)) - from).toBeLessThan(open.length);
  const { rows } = await client.query(
    `select count(*) filter (where status = 'open')::integer as open,
       count(*) filter (where status = 'resolved')::integer as resolved
     from public.exceptions where tenant_id = $1`,
    [tenant.id],
  );
  expect(rows).toEqual([{ open: open.length - 1, resolved: 1 }]);
});

test("refreshes the planner's statistics after importing many lines", async () => {
  const tenant = await FreshTenant.create("many", url, client);
  const source = await tenant.source("Left");
  await tenant.bind(source, await tenant.source("Right"));
  await tenant.import(source, lines(MANY_LINES, 0));
  for (const table of ["public.lines", "private.open_lines"]) {
    const { rows } = await client.query<{ expected: string }>(
      "select private.expected_rows($1, $2) as expected",
      [tenant.id, table],
    );
    expect(Number(rows[0]?.expected) / MANY_LINES).toBeGreaterThan(0.8);
    expect(Number(rows[0]?.expected) / MANY_LINES).toBeLessThan(1.2);
  }
});

test("replans and repeats a step of a run that takes too long", async () => {
  const { rows } = await client.query<{ at: string | null }>(
    "select max(last_analyze) as at from pg_stat_user_tables where relname = 'lines'",
  );
  let tries = 0;
  const step = async () => {
    tries += 1;
    if (tries === 1) await client.query("set statement_timeout = 50");
    await client.query("select pg_sleep($1)", [tries === 1 ? 10 : 0]);
    return tries;
  };
  expect(
    await withStatementTimeout(client, { tenantId: "others", runId: "run_1", lines: 0 }, step),
  ).toBe(2);
  const after = await client.query(
    "select from pg_stat_user_tables where relname = 'lines' and last_analyze > $1",
    [rows[0]?.at],
  );
  expect(after.rows).toHaveLength(1);
  await client.query("reset statement_timeout");
});
