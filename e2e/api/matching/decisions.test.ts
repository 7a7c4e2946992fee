import { describe, expect, test } from "vitest";
import { uniqueName } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { LineSuggestion } from "#lib/matching/lines/contract.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line, month } from "./matching-fixture.ts";

const SLOW = 300_000;

/** A period after a run, and one of its suggestions. */
async function withSuggestion(): Promise<{ fixture: Fixture; suggested: Match }> {
  const fixture = await Fixture.create();
  const { left, right } = month(40);
  await fixture.add("left", left);
  await fixture.add("right", right);
  await fixture.run();
  const [suggested] = await fixture.matches({ state: "suggested" });
  if (!suggested) throw new Error("Nothing was suggested.");
  return { fixture, suggested };
}

describe("decisions by a person", () => {
  test(
    "confirming matches the lines, and later runs don't change it",
    async () => {
      const { fixture, suggested } = await withSuggestion();
      const analyst = await fixture.as(["tenant_analyst"], "anna");
      const confirmed = await fixture.ok<Match>("POST", `matches/${suggested.id}/confirm`, {
        bearer: analyst,
      });
      expect(confirmed).toMatchObject({ state: "confirmed", decided_by: "user:anna" });
      expectProblem(
        await fixture.call("POST", `matches/${suggested.id}/confirm`),
        "invalid_transition",
      );
      await fixture.run();
      expect(await fixture.ok("GET", `matches/${suggested.id}`)).toEqual(confirmed);
      expect((await fixture.proof()).holds).toBe(true);
      const rules = await fixture.ok<RuleSet>("GET", `reconciliations/${fixture.period}/rules`);
      expect(rules.learnt.confirmed).toBe(1);
    },
    SLOW,
  );

  test(
    "a rejected combination is never suggested again",
    async () => {
      const { fixture, suggested } = await withSuggestion();
      await fixture.ok("POST", `matches/${suggested.id}/reject`);
      await fixture.run();
      const members = ({ members }: Match) =>
        members
          .map(({ line_id }) => line_id)
          .sort()
          .join();
      const again = (await fixture.matches()).filter(
        (match) => match.id !== suggested.id && members(match) === members(suggested),
      );
      expect(again).toEqual([]);
    },
    SLOW,
  );

  test(
    "undoing restores what was open, and no run makes it again",
    async () => {
      const { fixture } = await withSuggestion();
      const before = await fixture.proof();
      const [match] = await fixture.matches({ state: "confirmed" });
      const lines = match?.members.map(({ line_id }) => line_id) ?? [];
      expect(await fixture.ok("POST", `matches/${match?.id}/undo`)).toMatchObject({
        state: "undone",
        decided_by: "user:ada",
      });
      for (const id of lines)
        expect(await fixture.line(id)).toMatchObject({ state: "open", match_ids: [] });
      await fixture.run();
      for (const id of lines) expect((await fixture.line(id)).match_ids).toEqual([]);
      const after = await fixture.proof();
      expect(after.holds).toBe(true);
      expect(after.items.map(({ lines }) => lines)).toEqual(before.items.map(({ lines }) => lines));
    },
    SLOW,
  );

  test(
    "a match by hand has to add up, or the refusal names the difference",
    async () => {
      const fixture = await Fixture.create();
      const [a = ""] = await fixture.add("left", [line("a", 10_000)]);
      const [b = ""] = await fixture.add("right", [line("b", 9_750)]);
      const path = `reconciliations/${fixture.period}/matches`;
      const wrong = await fixture.call("POST", path, { body: { line_ids: [a, b] } });
      expectProblem(wrong, "invalid_request");
      expect(wrong.text).toContain("250");
      const adjustments = [{ kind: "fee", amount_minor: 250, note: "Card fee" }];
      const match = await fixture.ok<Match>("POST", path, {
        body: { line_ids: [a, b], adjustments },
      });
      expect(match).toMatchObject({
        method: "manual",
        state: "confirmed",
        adjustments,
        residual_minor: 0,
        created_by: "user:ada",
      });
      expectProblem(
        await fixture.call("POST", path, { body: { line_ids: [a, b], adjustments } }),
        "conflict",
      );
      expect((await fixture.proof()).items).toMatchObject([
        { side: "left", adjustments: 250, holds: true },
        { side: "right", adjustments: 0, holds: true },
      ]);
    },
    SLOW,
  );

  test(
    "an excluded line is in no match, and is open once it is included again",
    async () => {
      const fixture = await Fixture.create();
      const [a = ""] = await fixture.add("left", [line("a", 700, { reference: "INV-1" })]);
      await fixture.add("right", [line("b", 700, { reference: "INV-1" })]);
      const excluded = await fixture.ok("POST", `lines/${a}/exclude`, {
        body: { reason: "Not ours" },
      });
      expect(excluded).toMatchObject({ state: "excluded", open_minor: 0 });
      await fixture.run();
      expect(await fixture.matches()).toEqual([]);
      expect((await fixture.proof()).items[0]).toMatchObject({
        lines: 700,
        excluded: 700,
        open: 0,
        holds: true,
      });
      expect(
        await fixture.ok("POST", `lines/${a}/include`, { body: { reason: "Ours after all" } }),
      ).toMatchObject({
        state: "open",
        open_minor: 700,
      });
      await fixture.run();
      expect(await fixture.matches()).toHaveLength(1);
    },
    SLOW,
  );

  test(
    "bulk decisions apply to all or none",
    async () => {
      const { fixture } = await withSuggestion();
      const suggested = await fixture.matches({ state: "suggested" });
      const filter = { reconciliation_id: fixture.period };
      const bulk = (body: object, bearer?: string) =>
        fixture.call("POST", "matches/bulk", { body, ...(bearer && { bearer }) });
      expectProblem(
        await bulk({ action: "confirm", filter, expected_count: suggested.length + 1 }),
        "conflict",
      );
      const unknown = "mat_00000000000000000000000000000000";
      expectProblem(
        await bulk({ action: "confirm", ids: [suggested[0]?.id, unknown] }),
        "not_found",
      );
      expect(await fixture.matches({ state: "suggested" })).toHaveLength(suggested.length);
      const done = await bulk({ action: "confirm", filter, expected_count: suggested.length });
      expect(done.json).toMatchObject({ count: suggested.length });
      expect(await fixture.matches({ state: "suggested" })).toEqual([]);
      const analyst = await fixture.as(["tenant_analyst"], "anna");
      expectProblem(
        await bulk({ action: "undo", ids: suggested.map(({ id }) => id) }, analyst),
        "role_required",
      );
      expect((await bulk({ action: "undo", ids: suggested.map(({ id }) => id) })).status).toBe(200);
      expect((await fixture.proof()).holds).toBe(true);
    },
    SLOW,
  );

  test(
    "a line shows its possible counterparts",
    async () => {
      const { fixture, suggested } = await withSuggestion();
      const [mine, other] = ["left", "right"].map(
        (side) => suggested.members.find((member) => member.side === side)?.line_id,
      );
      const { items } = await fixture.ok<{ items: LineSuggestion[] }>(
        "GET",
        `lines/${mine}/suggestions`,
      );
      expect(items.length).toBeLessThanOrEqual(5);
      const [left = 0, right = 0] = suggested.members.map(({ allocated_minor }) => allocated_minor);
      expect(items[0]).toMatchObject({
        line_ids: [other],
        difference_minor: left - right,
        reconciliation_id: fixture.period,
      });
      expect(items[0]?.explanation.fields.length).toBeGreaterThan(1);
    },
    SLOW,
  );
});

test(
  "another tenant's match, run and period are 404",
  async () => {
    const { fixture, suggested } = await withSuggestion();
    const other = await Fixture.create();
    const run = await fixture.run();
    for (const path of [
      `matches/${suggested.id}`,
      `runs/${run.id}`,
      `reconciliations/${fixture.period}/proof`,
      `reconciliations/${fixture.period}/matches`,
    ])
      expectProblem(await other.call("GET", path), "not_found");
    expectProblem(await other.call("POST", `matches/${suggested.id}/confirm`), "not_found");
  },
  SLOW,
);

test(
  "a key with the scope to write reconciliations can confirm, but never close",
  async () => {
    const { fixture, suggested } = await withSuggestion();
    const key = await fixture.ok<{ key_id: string; key_secret: string }>(
      "POST",
      `tenants/${fixture.tenant}/api-keys`,
      {
        body: {
          name: uniqueName("Key"),
          scopes: ["write:reconciliations", "read:reconciliations"],
        },
      },
    );
    const bearer = `${key.key_id}.${key.key_secret}`;
    expect((await fixture.call("POST", `matches/${suggested.id}/confirm`, { bearer })).status).toBe(
      200,
    );
    const refused = await fixture.call("POST", `reconciliations/${fixture.period}/close`, {
      bearer,
    });
    expect(refused.status).toBe(403);
    const [a = ""] = await fixture.add("left", [line("w", 3)]);
    const [b = ""] = await fixture.add("left", [line("v", -2)]);
    const body = { line_ids: [a, b], adjustments: [{ kind: "write_off", amount_minor: 1 }] };
    expectProblem(
      await fixture.call("POST", `reconciliations/${fixture.period}/matches`, { bearer, body }),
      "role_required",
    );
    expect(
      (await fixture.call("POST", `reconciliations/${fixture.period}/matches`, { body })).status,
    ).toBe(201);
  },
  SLOW,
);
