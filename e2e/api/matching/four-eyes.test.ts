import { describe, expect, test } from "vitest";
import { uniqueName } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { line, World } from "./world.ts";

const RULES = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];

type Act = (world: World, bearer: string, left: string, right: string) => Promise<unknown>;

const match: Act = (world, bearer, left, right) =>
  world.ok<Match>("POST", `reconciliations/${world.period}/matches`, { bearer, body: { line_ids: [left, right] } });

const acts: [string, Act][] = [
  ["matched by hand", match],
  [
    "wrote off",
    async (world, bearer, left) => {
      const [short] = await world.add("right", [line("short", 99)]);
      const adjustments = [{ kind: "write_off", amount_minor: 1 }];
      await world.ok("POST", `reconciliations/${world.period}/matches`, { bearer, body: { line_ids: [left, short], adjustments } });
    },
  ],
  [
    "excluded, though it was included again",
    async (world, bearer, left) => {
      await world.ok("POST", `lines/${left}/exclude`, { bearer, body: { reason: "Not ours" } });
      await world.ok("POST", `lines/${left}/include`, { body: { reason: "Ours" } });
    },
  ],
  [
    "undid a match",
    async (world, bearer, left, right) => {
      const { id } = (await match(world, world.admin, left, right)) as Match;
      await world.ok("POST", `matches/${id}/undo`, { bearer });
    },
  ],
  [
    "took a decision back",
    async (world, bearer, left) => {
      await world.ok("POST", `lines/${left}/exclude`, { body: { reason: "Not ours" } });
      const { items } = await world.ok<{ items: Decision[] }>("GET", `reconciliations/${world.period}/decisions`);
      await world.ok("POST", `decisions/${items[0]?.id}/undo`, { bearer });
    },
  ],
];

async function withFourEyes(): Promise<{ world: World; lea: string; close: (bearer: string) => ReturnType<World["call"]> }> {
  const world = await World.create();
  await world.ok("PUT", `reconciliations/${world.period}/rules`, { body: { rules: RULES, four_eyes: true } });
  const close = (bearer: string) => world.call("POST", `reconciliations/${world.period}/close`, { bearer });
  return { world, lea: await world.as(["tenant_lead"], "lea"), close };
}

describe("with four eyes", () => {
  test.each(acts)("who %s does not close the period, whoever was last", async (_what, act) => {
    const { world, lea, close } = await withFourEyes();
    const [a = "", b = ""] = await world.add("left", [line("a", 100), line("b", 7)]);
    const [x = "", y = ""] = await world.add("right", [line("x", 100), line("y", 7)]);
    await act(world, lea, a, x);
    await match(world, world.admin, b, y);
    expectProblem(await close(lea), "conflict");
    expectProblem(await close(world.admin), "conflict");
    expect((await close(await world.as(["tenant_lead"], "max"))).status).toBe(200);
  });

  test("only an admin turns them off, for periods that are opened from then on", async () => {
    const { world, lea, close } = await withFourEyes();
    const key = await world.ok<{ key_id: string; key_secret: string }>("POST", `tenants/${world.tenant}/api-keys`, {
      body: { name: uniqueName("Key"), scopes: ["write:reconciliations", "read:reconciliations"] },
    });
    const turnOff = (bearer: string) =>
      world.call("PUT", `reconciliations/${world.period}/rules`, { bearer, body: { rules: RULES, four_eyes: false } });
    const [a = "", b = ""] = await world.add("left", [line("a", 100), line("b", 100)]);
    const [x = "", y = ""] = await world.add("right", [line("x", 100), line("y", 100)]);
    await match(world, lea, a, x);
    for (const bearer of [lea, `${key.key_id}.${key.key_secret}`]) expectProblem(await turnOff(bearer), "role_required");
    expect((await turnOff(world.admin)).status).toBe(200);
    expectProblem(await close(lea), "conflict");
    expect((await close(world.admin)).status).toBe(200);
    world.period = (await world.bind({ period_start: "2026-11-01", period_end: "2026-11-30" })).id;
    await match(world, lea, b, y);
    expect((await close(lea)).status).toBe(200);
  });
});
