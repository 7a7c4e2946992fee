import { expect, test } from "vitest";
import type { LineEvent } from "#lib/lines/contract.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";
import { line, World } from "./world.ts";

const SLOW = 300_000;

const historyOf = async (world: World, id: string) =>
  (await world.ok<{ items: LineEvent[] }>("GET", `lines/${id}/history`)).items.map(({ type, actor, note }) => [type, actor, note]);

test(
  "a line's history says what became of it, and by whom",
  async () => {
    const world = await World.create();
    const [a = ""] = await world.add("left", [line("a", 1_250, { counterparty: "Anna Muster" })]);
    await world.add("right", [line("b", 1_250, { counterparty: "Anna Muster" })]);
    await world.run();
    const [suggested] = await world.matches({ state: "suggested" });
    if (!suggested) throw new Error("Nothing was suggested.");
    const anna = await world.as(["tenant_analyst"], "anna");
    await world.ok("POST", `matches/${suggested.id}/confirm`, { bearer: anna });
    const { items } = await world.ok<{ items: Decision[] }>("GET", `reconciliations/${world.period}/decisions`);
    await world.ok("POST", `decisions/${items[0]?.id}/undo`);
    await world.ok("POST", `matches/${suggested.id}/reject`, { bearer: anna });
    await world.ok("POST", `lines/${a}/exclude`, { body: { reason: "Not ours" } });
    await world.ok("POST", `lines/${a}/include`, { body: { reason: "Ours after all" } });
    const history = await historyOf(world, a);
    expect(history.filter(([type]) => !String(type).startsWith("exception"))).toEqual([
      ["added", null, null],
      ["suggested", "system", suggested.method],
      ["confirmed", "user:anna", null],
      ["undone", "user:ada", null],
      ["rejected", "user:anna", null],
      ["excluded", "user:ada", "Not ours"],
      ["included", "user:ada", null],
    ]);
    // Past its grace the run opened an exception, which each step settled and opened again.
    expect(history).toContainEqual(["exception_opened", "system", expect.any(String)]);
  },
  SLOW,
);
