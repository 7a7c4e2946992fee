import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Line, LineEvent } from "#lib/lines/contract.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;

const historyOf = async (fixture: Fixture, id: string) =>
  (await fixture.ok<{ items: LineEvent[] }>("GET", `lines/${id}/history`)).items.map(
    ({ type, actor, note }) => [type, actor, note],
  );

test(
  "a line's history shows each change with its actor",
  async () => {
    const fixture = await Fixture.create();
    const [a = ""] = await fixture.add("left", [line("a", 1_250, { counterparty: "Anna Muster" })]);
    await fixture.add("right", [line("b", 1_250, { counterparty: "Anna Muster" })]);
    await fixture.run();
    const [suggested] = await fixture.matches({ state: "suggested" });
    if (!suggested) throw new Error("Nothing was suggested.");
    const anna = await fixture.as(["tenant_analyst"], "anna");
    await fixture.ok("POST", `matches/${suggested.id}/confirm`, { bearer: anna });
    const { items } = await fixture.ok<{ items: Decision[] }>(
      "GET",
      `reconciliations/${fixture.period}/decisions`,
    );
    await fixture.ok("POST", `decisions/${items[0]?.id}/undo`);
    await fixture.ok("POST", `matches/${suggested.id}/reject`, { bearer: anna });
    await fixture.ok("POST", `lines/${a}/exclude`, { body: { reason: "Not ours" } });
    await fixture.ok("POST", `lines/${a}/include`, { body: { reason: "Ours after all" } });
    const history = await historyOf(fixture, a);
    expect(history.filter(([type]) => !String(type).startsWith("exception"))).toEqual([
      ["added", null, null],
      ["suggested", "system", suggested.method],
      ["confirmed", "user:anna", null],
      ["undone", "user:ada", null],
      ["rejected", "user:anna", null],
      ["excluded", "user:ada", "Not ours"],
      ["included", "user:ada", null],
    ]);
    // The line is past its grace period, so the run opened an exception, which the steps resolved
    // and reopened.
    expect(history).toContainEqual(["exception_opened", "system", expect.any(String)]);
  },
  SLOW,
);

test(
  "updated_since lists the lines that arrived, or were matched, undone, excluded or included since",
  async () => {
    const fixture = await Fixture.create();
    const [a = "", b = "", c = ""] = await fixture.add("left", [
      line("a", 1_000),
      line("b", 2_000),
      line("c", 3_000),
    ]);
    const [other = ""] = await fixture.add("right", [line("other", 2_000)]);
    const changedBy = async (action: () => Promise<unknown>) => {
      const [{ now = new Date() } = {}] = await sql<{ now: Date }>(
        "select clock_timestamp() as now",
      );
      await action();
      const { items } = await fixture.ok<{ items: Line[] }>("GET", "lines", {
        query: { updated_since: now.toISOString() },
      });
      return items.map(({ id }) => id).sort();
    };

    expect(await changedBy(async () => {})).toEqual([]);
    expect(
      await changedBy(() => fixture.ok("POST", `lines/${a}/exclude`, { body: { reason: "No" } })),
    ).toEqual([a]);
    expect(
      await changedBy(() => fixture.ok("POST", `lines/${a}/include`, { body: { reason: "Yes" } })),
    ).toEqual([a]);
    let match = "";
    const matched = [b, other].sort();
    expect(
      await changedBy(async () => {
        const { id } = await fixture.ok<Match>(
          "POST",
          `reconciliations/${fixture.period}/matches`,
          {
            body: { line_ids: [b, other] },
          },
        );
        match = id;
      }),
    ).toEqual(matched);
    expect(
      await changedBy(() => fixture.ok("POST", `matches/${match}/undo`, { body: {} })),
    ).toEqual(matched);
    const opened = await changedBy(() => fixture.run());
    expect(opened).toContain(c);
    const added: string[] = [];
    expect(
      await changedBy(async () => {
        added.push(...(await fixture.add("left", [line("d", 4_000)])));
      }),
    ).toEqual(added);
  },
  SLOW,
);
