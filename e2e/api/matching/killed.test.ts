import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sql, stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { line, World } from "./world.ts";

const SLOW = 300_000;
/** More than one chunk of those that bring an explanation. */
const PAIRS = 5_000;

function startRun({ tenant, period }: World) {
  return spawn(process.execPath, [join(import.meta.dirname, "one-run.ts"), stack.databaseUrl, tenant, period], { stdio: "ignore" });
}

test(
  "a matcher killed in the middle of a run leaves the proof holding, and the next one ends it",
  async () => {
    const world = await World.create();
    const rules = [{ name: "Amount", kind: "tolerance", on: ["reference"], days_after: 5, then: "match" }];
    await world.ok("PUT", `reconciliations/${world.period}/rules`, { body: { rules } });
    const lines = (side: string) => Array.from({ length: PAIRS }, (_, n) => line(`${side}${n}`, 100 + n, { reference: `R${n}` }));
    for (const side of ["left", "right"] as const)
      for (let from = 0; from < PAIRS; from += 1000) await world.add(side, lines(side[0] ?? "").slice(from, from + 1000));

    const counted = async () => {
      const [row] = await sql<{ count: string }>("select count(*) from matches where tenant_id = $1", [world.tenant]);
      return Number(row?.count);
    };
    const killed = startRun(world);
    await until("a chunk is kept", async () => (await counted()) > 0, 120_000);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const kept = await counted();
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(PAIRS);
    expect((await world.proof()).holds).toBe(true);
    expect((await world.reconciliation()).matched_count).toBe(2 * kept);

    const [code] = await once(startRun(world), "exit");
    expect(code).toBe(0);
    const { items } = await world.ok<{ items: { status: string; changed: { added: number; kept: number } }[] }>(
      "GET",
      `reconciliations/${world.period}/runs`,
    );
    expect(items).toMatchObject([{ status: "done", changed: { added: PAIRS - kept, kept } }]);
    expect(await counted()).toBe(PAIRS);
    expect((await world.proof()).holds).toBe(true);
  },
  SLOW,
);
