import { expect, test } from "vitest";
import type {
  SuggestionBand,
  SuggestionBands,
  SuggestionSample,
} from "#lib/matching/bands/contract.ts";
import type { Decision, OpenLine } from "#lib/matching/workbench/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line, month } from "./matching-fixture.ts";

const SLOW = 300_000;

const allBands = (fixture: Fixture) =>
  fixture.ok<SuggestionBands>("GET", `reconciliations/${fixture.period}/suggestion-bands`);

async function bandsOf(fixture: Fixture): Promise<SuggestionBand[]> {
  return (await allBands(fixture)).items;
}

function filterOf(fixture: Fixture, { method, score_from, score_below }: SuggestionBand) {
  return {
    reconciliation_id: fixture.period,
    method,
    score_from,
    ...(score_below !== null && { score_below }),
  };
}

test(
  "a band shows its count, money and accuracy so far, and is accepted as one decision",
  async () => {
    const fixture = await Fixture.create();
    const { left, right } = month(120);
    await fixture.add("left", left);
    await fixture.add("right", right);
    await fixture.run();
    const suggested = await fixture.matches({ state: "suggested" });
    const before = await bandsOf(fixture);
    expect(before.reduce((sum, { count }) => sum + count, 0)).toBe(suggested.length);
    for (const {
      method,
      score_from,
      score_below,
      count,
      amounts,
      confirmed_count,
      rejected_count,
    } of before) {
      const own = suggested.filter(
        (match) =>
          match.method === method &&
          (match.score ?? 0) >= score_from &&
          (match.score ?? 0) < (score_below ?? 2),
      );
      expect(own).toHaveLength(count);
      expect(amounts).toEqual([
        {
          currency: "EUR",
          amount_minor: own.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
        },
      ]);
      expect([confirmed_count, rejected_count]).toEqual([0, 0]);
    }

    // Decisions on single suggestions count towards the band's accuracy.
    const [band] = [...before].sort((a, b) => b.count - a.count);
    if (!band || band.count < 4) throw new Error("The month suggests too little.");
    const query = Object.fromEntries(
      Object.entries(filterOf(fixture, band)).filter(([name]) => name !== "reconciliation_id"),
    );
    const options = { query: query as Record<string, string> };
    const sampled = () =>
      fixture.ok<SuggestionSample>(
        "GET",
        `reconciliations/${fixture.period}/suggestion-sample`,
        options,
      );
    const first = await sampled();
    expect(first.count).toBe(band.count);
    expect(first.items.length).toBe(Math.min(20, band.count));
    const scores = first.items.map(({ score }) => score ?? 0);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    await fixture.ok("POST", `matches/${first.items[0]?.id}/confirm`);
    await fixture.ok("POST", `matches/${first.items[1]?.id}/reject`);
    const same = ({ method, score_from }: SuggestionBand) =>
      method === band.method && score_from === band.score_from;
    expect((await bandsOf(fixture)).find(same)).toMatchObject({
      confirmed_count: 1,
      rejected_count: 1,
    });

    // A bulk decision doesn't count, and is undone as one.
    const { count } = await sampled();
    const body = { action: "confirm", filter: filterOf(fixture, band), expected_count: count };
    expectProblem(
      await fixture.call("POST", "matches/bulk", { body: { ...body, expected_count: count + 1 } }),
      "conflict",
    );
    expect((await fixture.call("POST", "matches/bulk", { body })).json).toMatchObject({ count });
    expect((await sampled()).count).toBe(0);
    const decisions = `reconciliations/${fixture.period}/decisions`;
    const [action] = (await fixture.ok<{ items: Decision[] }>("GET", decisions)).items;
    expect(action).toMatchObject({ action: "confirm", match_count: count });
    await fixture.ok("POST", `decisions/${action?.id}/undo`);
    expect((await sampled()).count).toBe(count);
    expect((await bandsOf(fixture)).find(same)).toMatchObject({
      confirmed_count: 1,
      rejected_count: 1,
    });
    expect((await fixture.proof()).holds).toBe(true);
  },
  SLOW,
);

test(
  "open lines in suggestions are counted once, with at most their open amount",
  async () => {
    const fixture = await Fixture.create();
    const { left, right } = month(60);
    await fixture.add("left", left);
    await fixture.add("right", right);
    await fixture.run();
    const path = `reconciliations/${fixture.period}/open-lines`;
    const { items } = await fixture.ok<{ items: OpenLine[] }>("GET", path, {
      query: { suggested: "true", limit: "250" },
    });
    const of = (side: "left" | "right") => items.filter((item) => item.side === side);
    expect((await allBands(fixture)).suggested).toEqual(
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
  "confirming by filter never counts as evidence for automatic matching",
  async () => {
    const fixture = await Fixture.create();
    await fixture.add("left", [
      line("a", 1_250, { counterparty: "Anna Muster" }),
      line("b", 9_999, { counterparty: "Otto Beispiel" }),
    ]);
    await fixture.add("right", [
      line("c", 1_250, { counterparty: "Anna Muster" }),
      line("d", 9_999, { counterparty: "Otto Beispiel" }),
    ]);
    await fixture.run();
    const count = (await fixture.matches({ state: "suggested" })).length;
    expect(count).toBeGreaterThan(0);
    const body = {
      action: "confirm",
      filter: { reconciliation_id: fixture.period },
      expected_count: count,
    };
    expect((await fixture.call("POST", "matches/bulk", { body })).status).toBe(200);
    await fixture.run();
    const { learnt } = await fixture.ok<{ learnt: object }>(
      "GET",
      `reconciliations/${fixture.period}/rules`,
    );
    expect(learnt).toMatchObject({ confirmed: count, track_record: { decided: 0 } });
  },
  SLOW,
);
