import { describe, expect, test } from "vitest";
import { uniqueName } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { line, World } from "./world.ts";

const MOST = Number.MAX_SAFE_INTEGER;

const match = (world: World, body: object, bearer = world.admin) =>
  world.call("POST", `reconciliations/${world.period}/matches`, { body, bearer });

async function keyOf(world: World): Promise<string> {
  const { key_id, key_secret } = await world.ok<{ key_id: string; key_secret: string }>("POST", `tenants/${world.tenant}/api-keys`, {
    body: { name: uniqueName("Key"), scopes: ["write:reconciliations", "read:reconciliations"] },
  });
  return `${key_id}.${key_secret}`;
}

test("lines that come to more than JSON's numbers hold are not matched, and stay open", async () => {
  const world = await World.create();
  const left = await world.add("left", [line("a", MOST), line("b", MOST)]);
  const right = await world.add("right", [line("x", MOST), line("y", MOST)]);
  expectProblem(await match(world, { line_ids: [...left, ...right] }), "invalid_request");
  expect(await world.matches()).toEqual([]);
  for (const id of [...left, ...right]) expect(await world.line(id)).toMatchObject({ state: "open", open_minor: MOST });
  const made = await match(world, { line_ids: [left[0], right[0]] });
  expect(made.json).toMatchObject({ state: "confirmed", amount_minor: MOST });
  expect(await world.matches()).toHaveLength(1);
});

test("a line of which a part was excluded is excluded whole once its match is undone", async () => {
  const world = await World.create();
  const [a = ""] = await world.add("left", [line("a", 100)]);
  const [x = ""] = await world.add("right", [line("x", 60)]);
  const { id } = (await match(world, { line_ids: [a, x], split_line_id: a })).json as Match;
  const exclude = () => world.ok("POST", `lines/${a}/exclude`, { body: { reason: "Not ours" } });
  await exclude();
  await world.ok("POST", `matches/${id}/undo`);
  expect(await exclude()).toMatchObject({ state: "excluded", open_minor: 0 });
  expect((await world.proof()).items[0]).toMatchObject({ side: "left", lines: 100, excluded: 100, open: 0, holds: true });
  expect(await world.ok("POST", `lines/${a}/include`, { body: { reason: "Ours" } })).toMatchObject({ state: "open", open_minor: 100 });
});

describe("an API key adjusts", () => {
  const near = { name: "Near", kind: "tolerance", on: ["reference"], amount_tolerance_minor: 50, then: "match" };
  const exact = { name: "Same", kind: "exact", on: ["reference"], then: "match" };
  const part = { name: "Parts", kind: "score", amount_tolerance_bps: 9_500, residual: "none", then: "suggest" };

  test.each([
    ["what the rules tolerate", [exact, near], 50],
    ["nothing where they tolerate nothing", [exact, part], 0],
    ["what the default rules tolerate where there are no others", undefined, 2_500],
  ])("%s", async (_what, rules, most) => {
    const world = await World.create();
    if (rules) await world.ok("PUT", `reconciliations/${world.period}/rules`, { body: { rules } });
    const key = await keyOf(world);
    const [a = ""] = await world.add("left", [line("a", 10_000)]);
    const [beyond = "", within = ""] = await world.add("right", [line("x", 10_000 - most - 1), line("y", 10_000 - most)]);
    const adjusting = (right: string, amount_minor: number) => ({ line_ids: [a, right], adjustments: [{ kind: "other", amount_minor }] });
    expectProblem(await match(world, adjusting(beyond, most + 1), key), "role_required");
    // Kinds that cancel each other are still adjusted.
    const both = [
      { kind: "other", amount_minor: 2 * most + 1 },
      { kind: "fee", amount_minor: -most - 1 },
    ];
    expectProblem(await match(world, { line_ids: [a, within], adjustments: both }, key), "role_required");
    expect((await match(world, most > 0 ? adjusting(within, most) : { line_ids: [a, within] }, key)).status).toBe(201);
  });
});
