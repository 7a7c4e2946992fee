import { describe, expect, test } from "vitest";
import { uniqueName } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const MAX = Number.MAX_SAFE_INTEGER;

const match = (fixture: Fixture, body: object, bearer = fixture.admin) =>
  fixture.call("POST", `reconciliations/${fixture.period}/matches`, { body, bearer });

async function keyOf(fixture: Fixture): Promise<string> {
  const { key_id, key_secret } = await fixture.ok<{ key_id: string; key_secret: string }>(
    "POST",
    `tenants/${fixture.tenant}/api-keys`,
    {
      body: { name: uniqueName("Key"), scopes: ["write:reconciliations", "read:reconciliations"] },
    },
  );
  return `${key_id}.${key_secret}`;
}

test("lines whose sum exceeds JSON's numbers aren't matched and stay open", async () => {
  const fixture = await Fixture.create();
  const left = await fixture.add("left", [line("a", MAX), line("b", MAX)]);
  const right = await fixture.add("right", [line("x", MAX), line("y", MAX)]);
  expectProblem(await match(fixture, { line_ids: [...left, ...right] }), "invalid_request");
  expect(await fixture.matches()).toEqual([]);
  for (const id of [...left, ...right])
    expect(await fixture.line(id)).toMatchObject({ state: "open", open_minor: MAX });
  const matched = await match(fixture, { line_ids: [left[0], right[0]] });
  expect(matched.json).toMatchObject({ state: "confirmed", amount_minor: MAX });
  expect(await fixture.matches()).toHaveLength(1);
});

test("a partly excluded line is wholly excluded once its match is undone", async () => {
  const fixture = await Fixture.create();
  const [a = ""] = await fixture.add("left", [line("a", 100)]);
  const [x = ""] = await fixture.add("right", [line("x", 60)]);
  const { id } = (await match(fixture, { line_ids: [a, x], split_line_id: a })).json as Match;
  const exclude = () => fixture.ok("POST", `lines/${a}/exclude`, { body: { reason: "Not ours" } });
  await exclude();
  await fixture.ok("POST", `matches/${id}/undo`);
  expect(await exclude()).toMatchObject({ state: "excluded", open_minor: 0 });
  expect((await fixture.proof()).items[0]).toMatchObject({
    side: "left",
    lines: 100,
    excluded: 100,
    open: 0,
    holds: true,
  });
  expect(
    await fixture.ok("POST", `lines/${a}/include`, { body: { reason: "Ours" } }),
  ).toMatchObject({ state: "open", open_minor: 100 });
});

describe("an API key may adjust", () => {
  const near = {
    name: "Near",
    kind: "tolerance",
    on: ["reference"],
    amount_tolerance_minor: 50,
    then: "match",
  };
  const exact = { name: "Same", kind: "exact", on: ["reference"], then: "match" };
  const part = {
    name: "Parts",
    kind: "score",
    amount_tolerance_bps: 9_500,
    residual: "none",
    then: "suggest",
  };

  test.each([
    ["as much as the rules tolerate", [exact, near], 50],
    ["nothing if the rules tolerate nothing", [exact, part], 0],
    ["as much as the default rules tolerate if there are no others", undefined, 2_500],
  ])("%s", async (_what, rules, max) => {
    const fixture = await Fixture.create();
    if (rules)
      await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, { body: { rules } });
    const key = await keyOf(fixture);
    const [a = ""] = await fixture.add("left", [line("a", 10_000)]);
    const [beyond = "", within = ""] = await fixture.add("right", [
      line("x", 10_000 - max - 1),
      line("y", 10_000 - max),
    ]);
    const adjusting = (right: string, amount_minor: number) => ({
      line_ids: [a, right],
      adjustments: [{ kind: "other", amount_minor }],
    });
    expectProblem(await match(fixture, adjusting(beyond, max + 1), key), "role_required");
    // Kinds that cancel each other out still count in full.
    const both = [
      { kind: "other", amount_minor: 2 * max + 1 },
      { kind: "fee", amount_minor: -max - 1 },
    ];
    expectProblem(
      await match(fixture, { line_ids: [a, within], adjustments: both }, key),
      "role_required",
    );
    expect(
      (await match(fixture, max > 0 ? adjusting(within, max) : { line_ids: [a, within] }, key))
        .status,
    ).toBe(201);
  });
});
