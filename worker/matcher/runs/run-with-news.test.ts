import type { Client } from "pg";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { type FileLine, FreshTenant } from "#e2e/fresh-tenant.ts";
import { schemaDatabases } from "../../../bin/dev/generate/schema-databases.ts";
import { Random } from "../../../engine/judge/datasets/random.ts";
import { DEFAULT_RULES } from "../../../engine/rules.ts";
import { countedBooks, lastRunOf } from "./stored-books.ts";

const fresh = schemaDatabases();
let tenant: FreshTenant;
let client: Client;
let url: string;
let tenants = 0;
let period: string;
let sources: { left: string; right: string };

const STEPS = process.env.TIEOUT_TESTS === "gate" ? 3 : 25;
/** More than ten new lines are a tenth of these. */
const INVOICES = 120;

beforeAll(async () => {
  ({ url, client } = await fresh());
}, 120_000);

/** A pair whose sources count as large, after a full run over invoices, half of which are paid. */
beforeEach(async () => {
  tenant = await FreshTenant.create(`acme${++tenants}`, url, client);
  sources = { left: await tenant.source("Left"), right: await tenant.source("Right") };
  period = await tenant.bind(sources.left, sources.right);
  await client.query("update public.reconciliations set auto_run = true where tenant_id = $1", [
    tenant.id,
  ]);
  const numbers = Array.from({ length: INVOICES }, (_, n) => n);
  await add("left", ...numbers.map((n) => invoice(n)));
  await add("right", ...numbers.filter((n) => n % 2 === 0).map((n) => payment(n)));
  await client.query("update public.sources set line_count = 30000 where tenant_id = $1", [
    tenant.id,
  ]);
  expect((await nextRun()).called).toBe("load_run");
});

type Side = keyof typeof sources;

const invoice = (n: number, other: Partial<FileLine> = {}): FileLine => ({
  day: "2026-03-02",
  amount_minor: 10_000 + 791 * n,
  reference: `RE-77${1000 + n}`,
  counterparty: `Muster ${n} GmbH`,
  ...other,
});
/** Quotes the invoice's number in its text: no exact rule matches it. */
const payment = (n: number, other: Partial<FileLine> = {}): FileLine => ({
  day: "2026-03-04",
  amount_minor: 10_000 + 791 * n,
  counterparty: `MUSTER ${n} GMBH`,
  description: `Rechnung RE-77${1000 + n}`,
  ...other,
});

const add = (side: Side, ...lines: FileLine[]) => tenant.import(sources[side], lines);

/** The functions by which the next run reads lines, and its row. */
async function nextRun() {
  await client.query("select graphile_worker.remove_job('match:' || $1)", [period]);
  const { statements, ...row } = await tenant.run(period);
  const called = ["load_short_run", "load_news", "load_run"].filter((name) =>
    statements.some(({ statement }) => statement.includes(`private.${name}(`)),
  );
  return { called: called.join(), ...row };
}

/** The full run that follows, requested by a person. */
async function requestedRun() {
  await tenant.call("create_run", "createRun", { id: period, dry_run: false });
  return nextRun();
}

const isFullRunQueued = async () =>
  (await client.query("select from graphile_worker.jobs where key = 'match:' || $1", [period]))
    .rowCount === 1;

const matchedWith = async (reference: string) =>
  (
    await client.query(
      `select other.description from public.lines line
       join public.match_members member on member.tenant_id = line.tenant_id
         and member.line_no = line.line_no
       join public.matches match on match.tenant_id = line.tenant_id and match.id = member.match_id
         and match.state = 'confirmed'
       join public.match_members counterpart on counterpart.tenant_id = line.tenant_id
         and counterpart.match_id = match.id and counterpart.side <> member.side
       join public.lines other on other.tenant_id = line.tenant_id
         and other.line_no = counterpart.line_no
       where line.tenant_id = $1 and line.reference = $2`,
      [tenant.id, reference],
    )
  ).rows.map(({ description }) => description);

test("a new line that no exact rule decides is weighed without weighing the others", async () => {
  await add("right", payment(1));
  expect(await nextRun()).toMatchObject({
    called: "load_short_run",
    status: "done",
    changed: { added: 1, undone: 0 },
  });
  expect(await matchedWith("RE-771001")).toEqual(["Rechnung RE-771001"]);
  expect(await lastRunOf(client, tenant.id)).toEqual(await countedBooks(client, tenant.id));
  expect(await isFullRunQueued()).toBe(false);
  expect((await nextRun()).called).toBe("");
});

test("the next full run comes to the same as one over all lines at once", async () => {
  await add("right", payment(1), payment(3), payment(5, { amount_minor: 13_000 }));
  await nextRun();
  expect((await requestedRun()).called).toBe("load_run");
  const inSteps = await lastRunOf(client, tenant.id);
  await client.query("update public.runs set engine_version = '0', conditions = null");
  await requestedRun();
  expect(await lastRunOf(client, tenant.id)).toEqual(inSteps);
});

test("a full run is queued once more than a tenth of the lines is new", async () => {
  await add("right", ...[1, 3, 5, 7].map((n) => payment(n)));
  await nextRun();
  expect(await isFullRunQueued()).toBe(false);
  const many = Array.from({ length: 20 }, (_, n) => payment(9 + 2 * n));
  await add("right", ...many);
  expect((await nextRun()).called).toBe("load_short_run,load_run");
  expect(await client.query("select weighed_lines from private.pair_estimates")).toMatchObject({
    rows: expect.arrayContaining([{ weighed_lines: "0" }]),
  });
});

test("a decision leads to a full run", async () => {
  await add("right", payment(1));
  await nextRun();
  const { rows } = await client.query(
    "select id from public.matches where tenant_id = $1 and state = 'confirmed' limit 1",
    [tenant.id],
  );
  await tenant.call("undo_match", "undoMatch", { id: `mat_${rows[0].id.replaceAll("-", "")}` });
  await add("right", payment(3));
  expect((await nextRun()).called).toContain("load_run");
});

test("the night's run is a full one", async () => {
  await add("right", payment(1));
  await nextRun();
  await client.query("select private.queue_nightly_runs(1000, '2126-03-05 02:00+00')");
  expect(await isFullRunQueued()).toBe(true);
  expect((await nextRun()).called).toBe("load_run");
});

test("the night's run is not put off by runs that weigh news", async () => {
  await add("right", payment(1));
  await nextRun();
  await client.query(
    "update private.run_changes set changed_at = '2126-03-04 20:00+00' where tenant_id = $1",
    [tenant.id],
  );
  await client.query(
    "update public.runs set created_at = '2126-03-05 02:50+00' where tenant_id = $1",
    [tenant.id],
  );
  const look = "select private.queue_nightly_runs(1000, $1)";
  await client.query(look, ["2126-03-05 01:00+00"]);
  expect(await isFullRunQueued()).toBe(false);
  await client.query(look, ["2126-03-05 03:00+00"]);
  expect(await isFullRunQueued()).toBe(true);
});

test("lines are counted once, however the line numbers of changes overlap", async () => {
  await add("right", payment(1, { amount_minor: 77, description: "" }));
  await nextRun();
  await add("right", payment(3, { amount_minor: 78, description: "" }));
  await nextRun();
  const { rows } = await client.query(
    "select weighed_lines::integer from private.pair_estimates where tenant_id = $1",
    [tenant.id],
  );
  expect(rows).toEqual([{ weighed_lines: 2 }]);
  await client.query(
    `insert into private.run_changes (tenant_id, reconciliation_id, first_line_no, last_line_no)
     select $1, $2, 0, max(line_no) from public.lines where tenant_id = $1`,
    [tenant.id, period],
  );
  await add("right", payment(5));
  expect((await nextRun()).changed.added).toBe(1);
  expect(await lastRunOf(client, tenant.id)).toEqual(await countedBooks(client, tenant.id));
});

test("a new line that would change an exact match leads to a full run", async () => {
  const exact = invoice(500);
  await add("left", exact);
  await add("right", exact);
  expect((await nextRun()).called).toBe("load_short_run");
  await add("right", { ...exact, description: "Once more" });
  expect((await nextRun()).called).toBe("load_short_run,load_run");
});

test("when an exact match takes a line of a suggestion, its exception is split again", async () => {
  await add("right", payment(1, { amount_minor: 10_000 + 791 + 3, description: "" }));
  await nextRun();
  await requestedRun();
  const openExceptionsOfMatchedLines = async () =>
    (
      await client.query(
        `select count(*)::integer as lines from private.exception_lines l
         join public.exceptions e on e.tenant_id = l.tenant_id and e.id = l.exception_id
           and e.status = 'open'
         where l.tenant_id = $1 and not exists (select from private.open_lines o
           where o.tenant_id = l.tenant_id and o.line_no = l.line_no)`,
        [tenant.id],
      )
    ).rows[0].lines;
  await add("right", { ...invoice(1), day: "2026-03-03" });
  expect((await nextRun()).called).toBe("load_short_run");
  expect(await openExceptionsOfMatchedLines()).toBe(0);
});

test("a sum that is only suggested between full runs is confirmed by one ten minutes later", async () => {
  const input = { id: period, rules: DEFAULT_RULES, automatic: "always" };
  await tenant.call("put_rules", "putRules", input);
  await nextRun();
  const parts = [
    invoice(301, { counterparty: "Gross GmbH" }),
    invoice(302, { counterparty: "Gross GmbH" }),
  ];
  await add("left", ...parts);
  await nextRun();
  await add("right", {
    day: "2026-03-04",
    amount_minor: parts.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
    counterparty: "GROSS GMBH",
    description: "Sammelzahlung",
  });
  expect(await nextRun()).toMatchObject({ called: "load_short_run", changed: { added: 1 } });
  expect(await matchedWith("RE-771301")).toEqual([]);
  const { rows } = await client.query(
    `select round(extract(epoch from run_at - now()) / 60) as minutes from graphile_worker.jobs
     where key = 'match:' || $1`,
    [period],
  );
  expect(rows).toEqual([{ minutes: "10" }]);
  await client.query(
    `update private.pair_estimates set holds_until = now() - interval '1 second';
     update private.run_changes set changed_at = changed_at - interval '10 minutes'`,
  );
  expect((await nextRun()).called).toBe("load_run");
  expect(await matchedWith("RE-771301")).toEqual(["Sammelzahlung"]);
});

test("exceptions of new lines past grace are opened with their reasons", async () => {
  await add("right", payment(1, { amount_minor: 1_999_999, description: "Rechnung RE-771001" }));
  await nextRun();
  const { rows } = await client.query(
    `select exception.reason_code from public.exceptions exception
     join public.lines line on line.tenant_id = exception.tenant_id
       and line.line_no = exception.line_no
     where exception.tenant_id = $1 and line.amount_minor = 1999999`,
    [tenant.id],
  );
  expect(rows).toEqual([{ reason_code: "amount_differs" }]);
});

test("the books hold after any news, and a full run comes to what one over all does", async () => {
  const random = new Random(5);
  const called = new Set<string>();
  for (let step = 0; step < STEPS; step++) {
    const n = random.between(0, INVOICES + 20);
    const line = random.pick([
      payment(n),
      payment(n, { amount_minor: 20_791 + 791 * (2 * n + 1), description: "Sammelzahlung" }),
      payment(n, { description: "" }),
      invoice(n, { amount_minor: -10_000 - 791 * n, reference: `STORNO RE-77${1000 + n}` }),
    ]);
    await add(random.pick(["left", "right"] as const), line);
    called.add((await nextRun()).called);
    expect(await lastRunOf(client, tenant.id)).toEqual(await countedBooks(client, tenant.id));
    if (step % 5 !== 2) continue;
    await requestedRun();
    const inSteps = await lastRunOf(client, tenant.id);
    await client.query("update public.runs set engine_version = '0', conditions = null");
    await requestedRun();
    expect(await lastRunOf(client, tenant.id)).toEqual(inSteps);
  }
  expect(called).toContain("load_short_run");
});
