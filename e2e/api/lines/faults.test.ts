import { request } from "node:http";
import { expect, test } from "vitest";
import { sql, stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { Fixture, RUN_TIMEOUT_MS } from "../matching/matching-fixture.ts";
import { createSource, createTeam, imported, linesOf, type Team, undo } from "./ledgers.ts";

const SLOW = 300_000;
const ndjson = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, nth) =>
      `{"external_id":"t${from + nth}","amount_minor":${from + nth + 1},"value_date":"2026-10-05","reference":"RG-${from + nth}"}\n`,
  ).join("");

/** Sends the first half of the announced length of a file, and then breaks the connection. */
function cutUpload({ tenant, admin }: Team, source: string, file: string): Promise<void> {
  const sent = Buffer.from(file);
  return new Promise((done) => {
    const call = request(`${stack.url}/v1/sources/${source}/imports`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${admin}`,
        "X-Tenant-Id": tenant,
        "Content-Type": "application/x-ndjson",
        "Content-Length": sent.length * 2,
      },
    });
    call.on("error", () => done());
    call.write(sent, () =>
      until(
        "a part of it is stored",
        async () =>
          (await sql("select from private.import_chunks where tenant_id = $1", [tenant])).length >
          0,
      ).finally(() => call.destroy()),
    );
  });
}

test(
  "an upload that breaks off stores nothing, and a retry of the file is imported once",
  async () => {
    const team = await createTeam();
    const { id } = await createSource(team);
    // Large enough for several chunks.
    const file = ndjson(0, 30_000);
    await cutUpload(team, id, file);
    await until("nothing of it is left", async () => {
      const left = await sql(
        `select from private.import_chunks where tenant_id = $1 union all select from imports
         where tenant_id = $1`,
        [team.tenant],
      );
      return left.length === 0;
    });
    expect(await imported(team, id, file)).toMatchObject({
      status: "done",
      accepted_count: 30_000,
      duplicate_count: 0,
    });
    expect(
      await sql(
        `select count(*)::int as lines, sum(amount_minor)::int as sum from lines
         where tenant_id = $1`,
        [team.tenant],
      ),
    ).toEqual([{ lines: 30_000, sum: (30_000 * 30_001) / 2 }]);
  },
  SLOW,
);

test(
  "an import undone during a run leaves no lines and no matches of them",
  async () => {
    const fixture = await Fixture.create();
    const team: Team = { tenant: fixture.tenant, admin: fixture.admin };
    const count = 4_000;
    const [left] = [
      await imported(team, fixture.left, ndjson(0, count)),
      await imported(team, fixture.right, ndjson(0, count)),
    ];
    const { id } = await fixture.ok<Run>("POST", `reconciliations/${fixture.period}/runs`, {
      body: {},
    });
    const runNow = () => fixture.ok<Run>("GET", `runs/${id}`);
    await until(
      "the run has begun",
      async () => (await runNow()).status !== "queued",
      RUN_TIMEOUT_MS,
    );
    expect((await undo(team, left.id)).json).toMatchObject({ status: "undone" });
    await until(
      "the run has ended",
      async () => ["done", "failed"].includes((await runNow()).status),
      RUN_TIMEOUT_MS,
    );
    expect(await linesOf(team, { source_id: fixture.left })).toEqual([]);
    expect(await sql("select from match_members where tenant_id = $1", [fixture.tenant])).toEqual(
      [],
    );
    expect(await fixture.reconciliation()).toMatchObject({
      matched_count: 0,
      unmatched_count: count,
    });
    expect((await fixture.proof()).holds).toBe(true);
    // Sent again, the lines match as if they had never been imported.
    expect(await imported(team, fixture.left, ndjson(0, count))).toMatchObject({
      accepted_count: count,
    });
    expect((await fixture.run()).status).toBe("done");
    expect(await fixture.reconciliation()).toMatchObject({
      matched_count: 2 * count,
      unmatched_count: 0,
    });
    expect((await fixture.proof()).holds).toBe(true);
  },
  SLOW,
);
