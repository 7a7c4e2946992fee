import { expect, test } from "vitest";
import type { SuggestionBand, SuggestionBands, SuggestionSample } from "#lib/matching/bands/contract.ts";
import type { Decision, OpenLine } from "#lib/matching/workbench/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { line, month, World } from "./world.ts";

const SLOW = 300_000;

const allBands = (world: World) => world.ok<SuggestionBands>("GET", `reconciliations/${world.period}/suggestion-bands`);

async function bandsOf(world: World): Promise<SuggestionBand[]> {
  return (await allBands(world)).items;
}

function filterOf(world: World, { method, score_from, score_below }: SuggestionBand) {
  return { reconciliation_id: world.period, method, score_from, ...(score_below !== null && { score_below }) };
}

test(
  "a band says how many it has, of what money, and how right such were so far; accepted, it is one decision",
  async () => {
    const world = await World.create();
    const { left, right } = month(120);
    await world.add("left", left);
    await world.add("right", right);
    await world.run();
    const suggested = await world.matches({ state: "suggested" });
    const before = await bandsOf(world);
    expect(before.reduce((sum, { count }) => sum + count, 0)).toBe(suggested.length);
    for (const { method, score_from, score_below, count, amounts, confirmed_count, rejected_count } of before) {
      const own = suggested.filter(
        (match) => match.method === method && (match.score ?? 0) >= score_from && (match.score ?? 0) < (score_below ?? 2),
      );
      expect(own).toHaveLength(count);
      expect(amounts).toEqual([{ currency: "EUR", amount_minor: own.reduce((sum, { amount_minor }) => sum + amount_minor, 0) }]);
      expect([confirmed_count, rejected_count]).toEqual([0, 0]);
    }

    // One by one they measure the band.
    const [band] = [...before].sort((one, other) => other.count - one.count);
    if (!band || band.count < 4) throw new Error("The month suggests too little.");
    const query = Object.fromEntries(Object.entries(filterOf(world, band)).filter(([name]) => name !== "reconciliation_id"));
    const asked = { query: query as Record<string, string> };
    const sampled = () => world.ok<SuggestionSample>("GET", `reconciliations/${world.period}/suggestion-sample`, asked);
    const first = await sampled();
    expect(first.count).toBe(band.count);
    expect(first.items.length).toBe(Math.min(20, band.count));
    const scores = first.items.map(({ score }) => score ?? 0);
    expect(scores).toEqual([...scores].sort((one, other) => one - other));
    await world.ok("POST", `matches/${first.items[0]?.id}/confirm`);
    await world.ok("POST", `matches/${first.items[1]?.id}/reject`);
    const same = ({ method, score_from }: SuggestionBand) => method === band.method && score_from === band.score_from;
    expect((await bandsOf(world)).find(same)).toMatchObject({ confirmed_count: 1, rejected_count: 1 });

    // Many at once do not, and are taken back as one.
    const { count } = await sampled();
    const body = { action: "confirm", filter: filterOf(world, band), expected_count: count };
    expectProblem(await world.call("POST", "matches/bulk", { body: { ...body, expected_count: count + 1 } }), "conflict");
    expect((await world.call("POST", "matches/bulk", { body })).json).toMatchObject({ count });
    expect((await sampled()).count).toBe(0);
    const decisions = `reconciliations/${world.period}/decisions`;
    const [act] = (await world.ok<{ items: Decision[] }>("GET", decisions)).items;
    expect(act).toMatchObject({ action: "confirm", match_count: count });
    await world.ok("POST", `decisions/${act?.id}/undo`);
    expect((await sampled()).count).toBe(count);
    expect((await bandsOf(world)).find(same)).toMatchObject({ confirmed_count: 1, rejected_count: 1 });
    expect((await world.proof()).holds).toBe(true);
  },
  SLOW,
);

test(
  "the open lines that suggestions take are counted, each once, and no more of their money than is open",
  async () => {
    const world = await World.create();
    const { left, right } = month(60);
    await world.add("left", left);
    await world.add("right", right);
    await world.run();
    const path = `reconciliations/${world.period}/open-lines`;
    const { items } = await world.ok<{ items: OpenLine[] }>("GET", path, { query: { suggested: "true", limit: "250" } });
    const of = (side: "left" | "right") => items.filter((one) => one.side === side);
    expect((await allBands(world)).suggested).toEqual(
      (["left", "right"] as const)
        .filter((side) => of(side).length > 0)
        .map((side) => ({
          currency: "EUR",
          side,
          line_count: of(side).length,
          open_minor: of(side).reduce((sum, { open_minor }) => sum + open_minor, 0),
        })),
    );
    expect(items.length).toBeGreaterThan(0);
  },
  SLOW,
);

test(
  "what is confirmed by filter is no proof that the engine may match by itself",
  async () => {
    const world = await World.create();
    await world.add("left", [line("a", 1_250, { counterparty: "Anna Muster" }), line("b", 9_999, { counterparty: "Otto Beispiel" })]);
    await world.add("right", [line("c", 1_250, { counterparty: "Anna Muster" }), line("d", 9_999, { counterparty: "Otto Beispiel" })]);
    await world.run();
    const count = (await world.matches({ state: "suggested" })).length;
    expect(count).toBeGreaterThan(0);
    const body = { action: "confirm", filter: { reconciliation_id: world.period }, expected_count: count };
    expect((await world.call("POST", "matches/bulk", { body })).status).toBe(200);
    await world.run();
    const { learnt } = await world.ok<{ learnt: object }>("GET", `reconciliations/${world.period}/rules`);
    expect(learnt).toMatchObject({ confirmed: count, track_record: { decided: 0 } });
  },
  SLOW,
);
