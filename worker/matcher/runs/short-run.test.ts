import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { type FileLine, FreshTenant } from "#e2e/fresh-tenant.ts";
import { schemaDatabases } from "../../../bin/dev/generate/schema-databases.ts";
import { Random } from "../../../engine/judge/datasets/random.ts";
import { countedBooks, lastRunOf } from "./stored-books.ts";

const fresh = schemaDatabases();
let tenant: FreshTenant;
let client: Client;
let period: string;
let sources: { left: string; right: string };

const STEPS = process.env.TIEOUT_TESTS === "gate" ? 4 : 40;

const WEIGHED = "load_run";
const SHORT = "load_short_run";

beforeAll(async () => {
  let url: string;
  ({ url, client } = await fresh());
  tenant = await FreshTenant.create("acme", url, client);
  sources = { left: await tenant.source("Left"), right: await tenant.source("Right") };
  period = await tenant.bind(sources.left, sources.right);
  await client.query("update public.reconciliations set auto_run = true where tenant_id = 'acme'");
}, 120_000);

type Side = keyof typeof sources;

const invoice = (n: number, other: Partial<FileLine> = {}): FileLine => ({
  day: "2026-03-02",
  amount_minor: 10_000 + n,
  reference: `RG-${n}`,
  counterparty: `Customer ${n}`,
  ...other,
});

const add = (side: Side, ...lines: FileLine[]) => tenant.import(sources[side], lines);

/** Which reading functions the next run calls, and its row. */
async function nextRun() {
  await client.query("select graphile_worker.remove_job('match:' || $1)", [period]);
  const { statements, ...row } = await tenant.run(period);
  const called = [WEIGHED, SHORT].filter((name) =>
    statements.some(({ statement }) => statement.includes(`private.${name}(`)),
  );
  return { called, ...row };
}

/** A minute has passed since lines came. */
const passMinute = () =>
  client.query("update private.run_changes set changed_at = changed_at - interval '1 minute'");

const lastRun = () => lastRunOf(client, "acme");

/** The result of a run over all lines. */
async function weighAll() {
  await client.query("update public.runs set engine_version = '0', conditions = null");
  expect((await nextRun()).called).toContain(WEIGHED);
  return lastRun();
}

test("a new line with a unique reference is matched without reading the other lines", async () => {
  await add("left", invoice(1), invoice(2), invoice(3));
  await add("right", invoice(1), invoice(3, { reference: "else", amount_minor: 9_990 }));
  expect((await nextRun()).called).toEqual([WEIGHED]);
  await add("right", invoice(2));
  expect(await nextRun()).toMatchObject({
    called: [SHORT],
    status: "done",
    changed: { added: 1, undone: 0 },
  });
  const short = await lastRun();
  expect(await weighAll()).toEqual(short);
});

test("the same run weighs with all lines what the exact rules leave open", async () => {
  await add("left", invoice(10), invoice(11, { reference: "" }));
  await nextRun();
  await add("right", invoice(10), invoice(11, { reference: "", day: "2026-03-04" }));
  const both = await nextRun();
  expect(both).toMatchObject({ called: [WEIGHED, SHORT], status: "done" });
  expect(both.changed.added).toBeGreaterThan(0);
  const short = await lastRun();
  expect(await weighAll()).toEqual(short);
});

test("a full run follows a short one within a minute of the first change", async () => {
  await add("left", invoice(20), invoice(21));
  await nextRun();
  await add("right", invoice(20));
  await nextRun();
  const { rows } = await client.query(
    `select round(extract(epoch from j.run_at - c.changed_at)) as seconds
     from graphile_worker.jobs j, private.run_changes c where j.key = 'match:' || $1`,
    [period],
  );
  expect(rows).toEqual([{ seconds: "60" }]);
  expect((await nextRun()).called).toEqual([]);
  await passMinute();
  expect((await nextRun()).called).toEqual([WEIGHED]);
  await passMinute();
  expect((await nextRun()).called).toEqual([]);
});

test("weighs a line with the amount of a line with a fee with all lines", async () => {
  await add("left", invoice(30));
  await nextRun();
  await client.query(
    `update public.lines set fee_minor = 5
     where line_no = (select max(line_no) from public.lines where tenant_id = 'acme')`,
  );
  await add("right", invoice(30));
  expect((await nextRun()).called).toEqual([WEIGHED]);
  await client.query("update public.lines set fee_minor = 0 where fee_minor <> 0");
});

test("any lines in any steps give the result of one run over all lines", async () => {
  const random = new Random(11);
  const called: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    const line = () =>
      invoice(random.between(100, 104), {
        amount_minor: 50_000 + random.between(0, 1),
        day: `2026-03-0${random.between(2, 4)}`,
        counterparty: random.pick(["Nord", "West", ""]),
      });
    await add(step % 2 === 0 ? "left" : "right", ...(step % 3 === 0 ? [line(), line()] : [line()]));
    called.push((await nextRun()).called.join());
    expect(await lastRun()).toEqual(await countedBooks(client, "acme"));
    await passMinute();
    await nextRun();
    const steps = await lastRun();
    expect(await weighAll()).toEqual(steps);
  }
  expect(new Set(called)).toContain(SHORT);
});
