import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { type FileLine, FreshTenant } from "#e2e/fresh-tenant.ts";
import { schemaDatabases } from "../../../bin/dev/generate/schema-databases.ts";
import { DEFAULT_RULES } from "../../../engine/rules.ts";

const fresh = schemaDatabases();
let tenant: FreshTenant;
let client: Client;
let period: string;
let left: string;

const line = (n: number, day = "2026-03-02"): FileLine => ({
  day,
  amount_minor: 1_000 + n * 7,
  reference: `RG-${n}`,
});

beforeAll(async () => {
  let url: string;
  ({ url, client } = await fresh());
  tenant = await FreshTenant.create("acme", url, client);
  const right = await tenant.source("Right");
  left = await tenant.source("Left");
  period = await tenant.bind(left, right);
  await tenant.import(
    left,
    [1, 2, 3, 4].map((n) => line(n)),
  );
  await tenant.import(right, [line(1), line(2), { ...line(3), reference: "x" }, line(7)]);
}, 120_000);

type Run = {
  id: string;
  status: string;
  digest: string;
  conditions: object;
  changed: { added: number };
};

async function runs(): Promise<Run[]> {
  const { rows } = await client.query<Run>(
    `select id, status, digest, conditions, changed from public.runs where tenant_id = 'acme'
     order by id`,
  );
  return rows;
}

/** Whether the next run reads lines; otherwise it found that nothing is new. */
async function readsLines(): Promise<boolean> {
  const { statements } = await tenant.run(period);
  return statements.some(({ statement }) => /load_(short_)?run/.test(statement));
}

test("unchanged lines start no run, and a requested run returns the last result", async () => {
  expect(await readsLines()).toBe(true);
  const [first] = await runs();
  expect(first).toMatchObject({ status: "done" });
  expect(await readsLines()).toBe(false);
  expect(await runs()).toHaveLength(1);
  const { id } = await tenant.call("create_run", "createRun", { id: period, dry_run: false });
  expect(await readsLines()).toBe(false);
  expect((await runs()).at(-1)).toMatchObject({
    id,
    status: "done",
    digest: first?.digest,
    conditions: first?.conditions,
    changed: { added: 0, kept: first?.changed.added, undone: 0 },
  });
});

test.each<[string, () => Promise<unknown>]>([
  ["lines were imported", () => tenant.import(left, [line(7)])],
  ["a decision was made", () => decide("reject")],
  ["a line was excluded", () => excludeOne()],
  ["other lines were imported", () => tenant.import(left, [line(31)])],
  ["their import was undone", () => undoLastImport()],
  ["the days of grace passed", () => client.query("update public.sources set grace_days = 9")],
  ["the last run failed", () => client.query("update public.runs set status = 'failed'")],
  ["the engine's version changed", () => client.query("update public.runs set conditions = '{}'")],
])("a run reads lines again after %s, and only once", async (_, change) => {
  await tenant.run(period);
  expect(await readsLines()).toBe(false);
  await change();
  expect(await readsLines()).toBe(true);
  expect(await readsLines()).toBe(false);
});

test("a rejected match stays rejected, as in a run over all lines", async () => {
  const before = (await runs()).at(-1)?.digest;
  await client.query("update public.runs set engine_version = '0', conditions = null");
  expect(await readsLines()).toBe(true);
  expect((await runs()).at(-1)?.digest).toBe(before);
});

test("a run learns from any number of decisions", async () => {
  await client.query(
    `insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed)
     select 'acme', pair_no, gen_random_uuid(), true from public.pairs, generate_series(1, 4001)`,
  );
  expect(await readsLines()).toBe(true);
  const { rows } = await client.query(
    "select count(*)::integer as left from private.unlearned_decisions",
  );
  expect(rows).toEqual([{ left: 0 }]);
  expect(await readsLines()).toBe(false);
});

test("later runs open the exceptions that a run held back, without reading lines", async () => {
  const one = { exceptions: { most_a_run: 1, assigned_to: null, severities: [] } };
  await client.query(
    "insert into public.pair_rules select tenant_id, pair_no, 1, $1, $2 from public.pairs",
    [JSON.stringify(DEFAULT_RULES), one],
  );
  await client.query("update public.pairs set rules_version = 1");
  await client.query("update public.sources set grace_days = 1");
  await tenant.import(left, [line(20), line(21), line(22)]);
  expect(await readsLines()).toBe(true);
  const opened: string[] = [];
  for (let held = 1; held > 0; ) {
    await tenant.call("create_run", "createRun", { id: period, dry_run: false });
    expect(await readsLines()).toBe(false);
    const { rows } = await client.query<{ held: number; reason_code: string }>(
      `select r.exceptions_held_back as held, e.reason_code from public.runs r, public.exceptions e
       where r.id = (select max(id) from public.runs) order by e.id desc limit 1`,
    );
    held = rows[0]?.held ?? 0;
    opened.push(rows[0]?.reason_code ?? "");
  }
  expect(opened.length).toBeGreaterThan(1);
  expect(new Set(opened)).toEqual(new Set(["missing_counterpart"]));
});

async function decide(action: "reject"): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    "select private.match_id_text(id) as id from public.matches where state = 'suggested' limit 1",
  );
  await tenant.call(`${action}_match`, `${action}Match`, { id: rows[0]?.id });
}

async function undoLastImport(): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    "select id from public.imports order by created_at desc, id desc limit 1",
  );
  await tenant.call("undo_import", "undoImport", { id: rows[0]?.id });
}

async function excludeOne(): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select private.line_id_text(l.id) as id from private.open_lines o
     join public.lines l on l.tenant_id = o.tenant_id and l.line_no = o.line_no limit 1`,
  );
  const input = { id: rows[0]?.id, reconciliation_id: period, reason: "Not ours" };
  await tenant.call("exclude_line", "excludeLine", input);
}
