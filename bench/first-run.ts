/**
 * Measures each step of a tenant's first run on a database whose statistics know only other
 * tenants, with autovacuum off. Then measures runs with 10,000 new lines, with one new line of
 * each kind, and with nothing new. Starts its own database.
 *
 *   node bench/first-run.ts [lines a side] [sources-first | pair-first] [share that is exact]
 */
import { type FileLine, FreshTenant } from "#e2e/fresh-tenant.ts";
import { withFreshDatabases } from "../bin/dev/generate/fresh-database.ts";
import { run, schemaSql } from "../bin/dev/migration/schemas.ts";
import { Random } from "../engine/judge/datasets/random.ts";
import { CASES } from "../engine/judge/speed.ts";

const [size = "100000", order = "sources-first", dataset = "90 % exact"] = process.argv.slice(2);
const OTHERS = 100_000;
/** Steps that take less time are not listed. */
const MIN_LISTED_MS = 10;
const TABLES = [
  "public.lines",
  "private.open_lines",
  "public.matches",
  "public.match_members",
  "private.exception_lines",
  "public.exceptions",
];

const seconds = (taken: number) => `${taken.toFixed(2)} s`;

await withFreshDatabases(async (fresh) => {
  const { url, client } = await fresh();
  await run(client, schemaSql(), "supabase/schemas");
  for (const table of TABLES)
    await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
  const other = await FreshTenant.create("others", url, client);
  const [one, two] = [await other.source("One"), await other.source("Two")];
  const otherPeriod = await other.bind(one, two);
  const lines = linesOf("90 % exact", OTHERS, 3);
  await other.import(one, lines.left);
  await other.import(two, lines.right);
  console.log("others ran in", seconds((await other.run(otherPeriod)).seconds));
  await client.query("analyze");

  const tenant = await FreshTenant.create("fresh", url, client);
  const [left, right] = [await tenant.source("Left"), await tenant.source("Right")];
  const ownLines = linesOf(dataset, Number(size), 7);
  const before = order === "pair-first" ? await tenant.bind(left, right) : undefined;
  for (const [name, source, side] of [
    ["left", left, ownLines.left],
    ["right", right, ownLines.right],
  ] as const)
    console.log(
      name,
      "imported in",
      seconds(await tenant.import(source, side)),
      `(${side.length} lines)`,
    );
  const period = before ?? (await tenant.bind(left, right));
  console.log("prepared in", seconds(await tenant.prepare()));
  /** `isRequested`: a person requests the run; otherwise the arrival of lines does. */
  const report = async (what: string, isRequested: boolean) => {
    if (isRequested) await tenant.call("create_run", "createRun", { id: period, dry_run: false });
    const { seconds: taken, statements, ...outcome } = await tenant.run(period);
    const peak = process.resourceUsage().maxRSS / 1024;
    console.log(
      `\n${what}: ${seconds(taken)}, memory at its highest so far ${peak.toFixed(0)} MB`,
      JSON.stringify(outcome),
    );
    const steps = new Map<string, number>();
    for (const { statement, ms } of statements)
      steps.set(stepOf(statement), (steps.get(stepOf(statement)) ?? 0) + ms);
    const inDatabase = [...steps.values()].reduce((total, ms) => total + ms, 0);
    steps.set("outside the database", taken * 1000 - inDatabase);
    for (const [step, ms] of [...steps].sort(([, one], [, other]) => other - one))
      if (ms >= MIN_LISTED_MS) console.log(`  ${ms.toFixed(0).padStart(7)} ms  ${step}`);
  };
  await report("first run", true);
  await report("nothing new but exceptions that were held back", true);
  await report("the same again", true);
  await tenant.import(right, ownLines.more);
  await report(`${ownLines.more.length} new lines`, false);
  await tenant.import(right, ownLines.exact);
  await report("one new line", false);
  await tenant.import(right, ownLines.quoting);
  await report("one new line that no exact rule decides", false);
  await report("the full run that follows", true);
  for (let isHeldBack = true; isHeldBack; ) {
    await tenant.call("create_run", "createRun", { id: period, dry_run: false });
    isHeldBack = (await tenant.run(period)).exceptions_held_back > 0;
  }
  await report("nothing new, and no exception held back", true);
});
process.exit(0);

/** The function that a statement calls, or the view that it copies. */
function stepOf(statement: string): string {
  const [, called] = /from (?:private|pg_temp)\.(\w+)/.exec(statement) ?? [];
  return called ?? statement.slice(0, 60);
}

function linesOf(name: string, count: number, seed: number) {
  const filesOfSide: Record<"left" | "right", FileLine[]> = { left: [], right: [] };
  CASES[name]?.(
    count,
    new Random(seed),
    (side, { value_date, amount_minor, reference, counterparty, description }) =>
      filesOfSide[side].push({
        day: new Date(value_date * 86_400_000).toISOString().slice(0, 10),
        amount_minor,
        ...(reference && { reference: String(reference) }),
        ...(counterparty && { counterparty: String(counterparty) }),
        ...(description && { description: String(description) }),
      }),
  );
  const more =
    name === "90 % exact"
      ? Math.min(10_000, count / 10)
      : Math.min(10_000, filesOfSide.right.length);
  const { right } = filesOfSide;
  return {
    left: filesOfSide.left,
    right: right.slice(0, right.length - more - 2),
    more: right.slice(-more - 2, -2),
    exact: right.slice(-2, -1),
    quoting: right.slice(-1).map(quotingReference),
  };
}

/** The line with its reference in its text, so that no exact rule decides it. */
function quotingReference({ reference, description = "", ...line }: FileLine): FileLine {
  return { ...line, description: `${description} ${reference ?? ""}`.trim() };
}
