import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sql, stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
/** More than one chunk of matches with explanations. */
const PAIRS = 5_000;
const BATCH = 1_000;

function startRun({ tenant, period }: Fixture) {
  return spawn(
    process.execPath,
    [join(import.meta.dirname, "one-run.ts"), stack.databaseUrl, tenant, period],
    { stdio: "ignore" },
  );
}

async function matchCount({ tenant }: Fixture): Promise<number> {
  const [row] = await sql<{ count: string }>("select count(*) from matches where tenant_id = $1", [
    tenant,
  ]);
  return Number(row?.count);
}

/**
 * A run of this many pairs whose matcher was killed in the middle. If the run was already done,
 * tries again with twice as many pairs.
 */
async function killedRun(
  pairs = PAIRS,
): Promise<{ fixture: Fixture; pairs: number; saved: number }> {
  const fixture = await Fixture.create();
  const rules = [
    { name: "Amount", kind: "tolerance", on: ["reference"], days_after: 5, then: "match" },
  ];
  await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, { body: { rules } });
  const lines = (side: string) =>
    Array.from({ length: pairs }, (_, n) => line(`${side}${n}`, 100 + n, { reference: `R${n}` }));
  for (const side of ["left", "right"] as const)
    for (let from = 0; from < pairs; from += BATCH)
      await fixture.add(side, lines(side[0] ?? "").slice(from, from + BATCH));
  const killed = startRun(fixture);
  await until("a chunk is saved", async () => (await matchCount(fixture)) > 0, 120_000);
  killed.kill("SIGKILL");
  if (killed.exitCode === null && killed.signalCode === null) await once(killed, "exit");
  // Postgres may still commit the matcher's last statement.
  const connections = "select from pg_stat_activity where application_name = $1";
  await until(
    "its connections have ended",
    async () => (await sql(connections, [`one run of ${fixture.tenant}`])).length === 0,
  );
  const saved = await matchCount(fixture);
  return saved < pairs ? { fixture, pairs, saved } : killedRun(2 * pairs);
}

test(
  "a matcher killed during a run leaves a valid proof, and the next one finishes the run",
  async () => {
    const { fixture, pairs, saved } = await killedRun();
    expect(saved).toBeGreaterThan(0);
    expect((await fixture.proof()).holds).toBe(true);
    expect((await fixture.reconciliation()).matched_count).toBe(2 * saved);

    const [code] = await once(startRun(fixture), "exit");
    expect(code).toBe(0);
    const { items } = await fixture.ok<{
      items: { status: string; changed: { added: number; kept: number } }[];
    }>("GET", `reconciliations/${fixture.period}/runs`);
    expect(items).toMatchObject([
      { status: "done", changed: { added: pairs - saved, kept: saved } },
    ]);
    expect(await matchCount(fixture)).toBe(pairs);
    expect((await fixture.proof()).holds).toBe(true);
  },
  SLOW,
);
