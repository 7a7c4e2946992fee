import { beforeAll, describe, expect, test } from "vitest";
import { api, uniqueName } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { LineSuggestion } from "#lib/matching/lines/contract.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { line, month, World } from "./world.ts";

const SLOW = 120_000;

describe("a reconciliation with sources", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create();
  });

  test("computes its counts, and refuses to be told them", async () => {
    await world.add("left", [line("a", 100), line("b", 200)]);
    expect(await world.reconciliation()).toMatchObject({
      matched_count: 0,
      unmatched_count: 2,
      left_source: "Bank",
      right_source: "Ledger",
    });
    expectProblem(await world.call("PATCH", `reconciliations/${world.period}`, { body: { matched_count: 5 } }), "conflict");
    const told = { left_source_id: world.left, right_source_id: world.right, matched_count: 1 };
    const body = { name: "Told", period_start: "2027-10-01", period_end: "2027-10-31", ...told };
    expectProblem(await world.call("POST", "reconciliations", { body }), "conflict");
  });

  test("shares no day with another of its sources", async () => {
    const overlapping = (period_start: string, period_end: string) =>
      world.call("POST", "reconciliations", {
        body: { name: "Again", period_start, period_end, left_source_id: world.left, right_source_id: world.right },
      });
    expectProblem(await overlapping("2026-10-31", "2026-11-30"), "conflict");
    expectProblem(await overlapping("2026-09-01", "2026-10-01"), "conflict");
    expect((await overlapping("2026-11-01", "2026-11-30")).status).toBe(201);
  });

  test("is completed by closing it, not by its status", async () => {
    const { id } = await world.bind({ period_start: "2026-12-01", period_end: "2026-12-31", status: "in_progress" });
    expectProblem(await world.call("PATCH", `reconciliations/${id}`, { body: { status: "completed" } }), "conflict");
  });

  test("takes sources of its tenant alone, and two of them", async () => {
    const other = await World.create();
    const body = { name: "Across", period_start: "2028-01-01", period_end: "2028-01-31", left_source_id: world.left };
    for (const right_source_id of [other.right, world.left, undefined])
      expectProblem(await world.call("POST", "reconciliations", { body: { ...body, right_source_id } }), "invalid_request");
  });
});

describe("a run", () => {
  test(
    "matches what agrees, and the proof holds to the cent",
    async () => {
      const world = await World.create();
      const { left, right } = month(60);
      await world.add("left", left);
      await world.add("right", right);
      const run = await world.run();
      expect(run).toMatchObject({ status: "done", failure: null, rules_version: 0, lines_total: left.length + right.length });
      expect(run.waterfall.find(({ rule }) => rule === "Same reference and date")?.matches).toBe(36);
      const proof = await world.proof();
      expect(proof.holds).toBe(true);
      const sumOf = (lines: { amount_minor: number }[]) => lines.reduce((total, { amount_minor }) => total + amount_minor, 0);
      expect(proof.items.map(({ currency, side, lines }) => [currency, side, lines])).toEqual([
        ["EUR", "left", sumOf(left)],
        ["EUR", "right", sumOf(right)],
      ]);
      const { matched_count, unmatched_count } = await world.reconciliation();
      expect(matched_count + unmatched_count).toBe(left.length + right.length);
      expect(unmatched_count).toBe(run.open_count);
    },
    SLOW,
  );

  test(
    "of an inverted source counts its amounts negated, and keeps them as posted",
    async () => {
      const world = await World.create({ sign: "inverted" });
      await world.add("left", [line("a", 12_300, { reference: "INV-1" })]);
      const [booked = ""] = await world.add("right", [line("b", -12_300, { reference: "INV-1" })]);
      await world.run();
      const [match] = await world.matches();
      expect(match).toMatchObject({ state: "confirmed", shape: "1:1", amount_minor: 12_300, residual_minor: 0 });
      expect(match?.members.map(({ allocated_minor }) => allocated_minor)).toEqual([12_300, 12_300]);
      expect(await world.line(booked)).toMatchObject({ amount_minor: -12_300, state: "matched", open_minor: 0, match_ids: [match?.id] });
    },
    SLOW,
  );

  test(
    "finds nothing new where nothing is, and has the same digest",
    async () => {
      const world = await World.create();
      const { left, right } = month(30);
      await world.add("left", left);
      await world.add("right", right);
      const first = await world.run();
      const second = await world.run();
      expect(second.digest).toBe(first.digest);
      expect(second.changed).toMatchObject({ added: 0, undone: 0, replaced: 0 });
      expect(second.waterfall.map(({ rule, matches }) => [rule, matches])).toEqual(
        first.waterfall.map(({ rule, matches }) => [rule, matches]),
      );
    },
    SLOW,
  );

  test(
    "that lines ask for starts by itself",
    async () => {
      const world = await World.create();
      await world.ok("PATCH", `reconciliations/${world.period}`, { body: { auto_run: true } });
      await world.add("left", [line("a", 500, { reference: "INV-9" })]);
      await world.add("right", [line("b", 500, { reference: "INV-9" })]);
      await expect.poll(async () => (await world.reconciliation()).matched_count, { timeout: 60_000 }).toBe(2);
    },
    SLOW,
  );

  test(
    "explains each match by its fields",
    async () => {
      const world = await World.create();
      await world.add("left", [line("a", 500, { reference: "INV-9", counterparty: "Kunde" })]);
      await world.add("right", [line("b", 500, { reference: "inv 9" })]);
      await world.run();
      const [match] = await world.matches({ state: "confirmed" });
      const verdicts = match?.explanation.fields.map(({ field, left, right, verdict }) => [field, left, right, verdict]);
      expect(verdicts).toContainEqual(["reference", "INV-9", "inv 9", "equal"]);
      expect(await world.ok("GET", `matches/${match?.id}`)).toEqual(match);
    },
    SLOW,
  );
});

/** One that agrees, and one that only its amount and name suggest. */
async function suggesting(): Promise<{ world: World; suggested: Match }> {
  const world = await World.create();
  const { left, right } = month(40);
  await world.add("left", left);
  await world.add("right", right);
  await world.run();
  const [suggested] = await world.matches({ state: "suggested" });
  if (!suggested) throw new Error("Nothing was suggested.");
  return { world, suggested };
}

describe("what a person decides", () => {
  test(
    "confirming matches the lines, and later runs leave it alone",
    async () => {
      const { world, suggested } = await suggesting();
      const analyst = await world.as(["tenant_analyst"], "anna");
      const confirmed = await world.ok<Match>("POST", `matches/${suggested.id}/confirm`, { bearer: analyst });
      expect(confirmed).toMatchObject({ state: "confirmed", decided_by: "user:anna" });
      expectProblem(await world.call("POST", `matches/${suggested.id}/confirm`), "invalid_transition");
      await world.run();
      expect(await world.ok("GET", `matches/${suggested.id}`)).toEqual(confirmed);
      expect((await world.proof()).holds).toBe(true);
      const rules = await world.ok<RuleSet>("GET", `reconciliations/${world.period}/rules`);
      expect(rules.learnt.confirmed).toBe(1);
    },
    SLOW,
  );

  test(
    "a rejected combination is never suggested again",
    async () => {
      const { world, suggested } = await suggesting();
      await world.ok("POST", `matches/${suggested.id}/reject`);
      await world.run();
      const members = ({ members }: Match) =>
        members
          .map(({ line_id }) => line_id)
          .sort()
          .join();
      const again = (await world.matches()).filter((match) => match.id !== suggested.id && members(match) === members(suggested));
      expect(again).toEqual([]);
    },
    SLOW,
  );

  test(
    "undoing restores what was open, and no run makes it again",
    async () => {
      const { world } = await suggesting();
      const before = await world.proof();
      const [match] = await world.matches({ state: "confirmed" });
      const lines = match?.members.map(({ line_id }) => line_id) ?? [];
      expect(await world.ok("POST", `matches/${match?.id}/undo`)).toMatchObject({ state: "undone", decided_by: "user:ada" });
      for (const id of lines) expect(await world.line(id)).toMatchObject({ state: "open", match_ids: [] });
      await world.run();
      for (const id of lines) expect((await world.line(id)).match_ids).toEqual([]);
      const after = await world.proof();
      expect(after.holds).toBe(true);
      expect(after.items.map(({ lines }) => lines)).toEqual(before.items.map(({ lines }) => lines));
    },
    SLOW,
  );

  test(
    "a match by hand has to add up, and names what does not",
    async () => {
      const world = await World.create();
      const [a = ""] = await world.add("left", [line("a", 10_000)]);
      const [b = ""] = await world.add("right", [line("b", 9_750)]);
      const path = `reconciliations/${world.period}/matches`;
      const wrong = await world.call("POST", path, { body: { line_ids: [a, b] } });
      expectProblem(wrong, "invalid_request");
      expect(wrong.text).toContain("250");
      const adjustments = [{ kind: "fee", amount_minor: 250, note: "Card fee" }];
      const match = await world.ok<Match>("POST", path, { body: { line_ids: [a, b], adjustments } });
      expect(match).toMatchObject({ method: "manual", state: "confirmed", adjustments, residual_minor: 0, created_by: "user:ada" });
      expectProblem(await world.call("POST", path, { body: { line_ids: [a, b], adjustments } }), "conflict");
      expect((await world.proof()).items).toMatchObject([
        { side: "left", adjustments: 250, holds: true },
        { side: "right", adjustments: 0, holds: true },
      ]);
    },
    SLOW,
  );

  test(
    "an excluded line is in no match, and included again is open",
    async () => {
      const world = await World.create();
      const [a = ""] = await world.add("left", [line("a", 700, { reference: "INV-1" })]);
      await world.add("right", [line("b", 700, { reference: "INV-1" })]);
      const excluded = await world.ok("POST", `lines/${a}/exclude`, { body: { reason: "Not ours" } });
      expect(excluded).toMatchObject({ state: "excluded", open_minor: 0 });
      await world.run();
      expect(await world.matches()).toEqual([]);
      expect((await world.proof()).items[0]).toMatchObject({ lines: 700, excluded: 700, open: 0, holds: true });
      expect(await world.ok("POST", `lines/${a}/include`, { body: { reason: "Ours after all" } })).toMatchObject({
        state: "open",
        open_minor: 700,
      });
      await world.run();
      expect(await world.matches()).toHaveLength(1);
    },
    SLOW,
  );

  test(
    "many at once are all decided, or none",
    async () => {
      const { world } = await suggesting();
      const suggested = await world.matches({ state: "suggested" });
      const filter = { reconciliation_id: world.period };
      const bulk = (body: object, bearer?: string) => world.call("POST", "matches/bulk", { body, ...(bearer && { bearer }) });
      expectProblem(await bulk({ action: "confirm", filter, expected_count: suggested.length + 1 }), "conflict");
      const unknown = "mat_00000000000000000000000000000000";
      expectProblem(await bulk({ action: "confirm", ids: [suggested[0]?.id, unknown] }), "not_found");
      expect(await world.matches({ state: "suggested" })).toHaveLength(suggested.length);
      const done = await bulk({ action: "confirm", filter, expected_count: suggested.length });
      expect(done.json).toMatchObject({ count: suggested.length });
      expect(await world.matches({ state: "suggested" })).toEqual([]);
      const analyst = await world.as(["tenant_analyst"], "anna");
      expectProblem(await bulk({ action: "undo", ids: suggested.map(({ id }) => id) }, analyst), "role_required");
      expect((await bulk({ action: "undo", ids: suggested.map(({ id }) => id) })).status).toBe(200);
      expect((await world.proof()).holds).toBe(true);
    },
    SLOW,
  );

  test(
    "a line is shown what may be its counterpart",
    async () => {
      const { world, suggested } = await suggesting();
      const [mine, other] = ["left", "right"].map((side) => suggested.members.find((member) => member.side === side)?.line_id);
      const { items } = await world.ok<{ items: LineSuggestion[] }>("GET", `lines/${mine}/suggestions`);
      expect(items.length).toBeLessThanOrEqual(5);
      const [left = 0, right = 0] = suggested.members.map(({ allocated_minor }) => allocated_minor);
      expect(items[0]).toMatchObject({ line_ids: [other], difference_minor: left - right, reconciliation_id: world.period });
      expect(items[0]?.explanation.fields.length).toBeGreaterThan(1);
    },
    SLOW,
  );
});

describe("rules", () => {
  const EXACT = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];

  test("are the defaults until they are set, and each change is a version", async () => {
    const world = await World.create();
    const path = `reconciliations/${world.period}/rules`;
    const first = await world.call("GET", path);
    expect(first.json).toMatchObject({ version: 0, automatic: "earned", four_eyes: false });
    expect((first.json as RuleSet).rules.length).toBeGreaterThan(3);
    const set = await world.ok("PUT", path, { body: { rules: EXACT, automatic: "always" } });
    expect(set).toMatchObject({ version: 1, rules: EXACT, automatic: "always", four_eyes: false, dry_run: false });
    const etag = first.headers.get("etag") ?? "";
    const stale = await api("PUT", `/v1/${path}`, {
      bearer: world.admin,
      tenant: world.tenant,
      body: { rules: EXACT },
      headers: { "If-Match": etag },
    });
    expectProblem(stale, "precondition_failed");
  });

  test(
    "can be tried: a dry run tells what would change and keeps nothing",
    async () => {
      const world = await World.create();
      const { left, right } = month(40);
      await world.add("left", left);
      await world.add("right", right);
      await world.run();
      const before = [await world.matches(), await world.proof()];
      const body = {
        rules: [{ name: "Near", kind: "tolerance", on: ["reference"], amount_tolerance_minor: 50, then: "match" }],
        dry_run: true,
      };
      const { run_id } = await world.ok<{ run_id: string }>("PUT", `reconciliations/${world.period}/rules`, { body });
      const done = await expect
        .poll(async () => (await world.ok<Run>("GET", `runs/${run_id}`)).status, { timeout: 60_000 })
        .toBe("done")
        .then(() => world.ok<Run>("GET", `runs/${run_id}`));
      expect(done.dry_run).toBe(true);
      expect(done.impact?.newly_matched.matches).toBeGreaterThan(0);
      expect(done.impact?.samples.length).toBeGreaterThan(0);
      expect([await world.matches(), await world.proof()]).toEqual(before);
      expect(await world.ok("GET", `reconciliations/${world.period}/rules`)).toMatchObject({ version: 0 });
    },
    SLOW,
  );

  test(
    "that change make the next run weigh everything anew",
    async () => {
      const world = await World.create();
      await world.add("left", [line("a", 500, { reference: "X" }), line("b", 900, { reference: "Y" })]);
      await world.add("right", [line("c", 500, { reference: "X" }), line("d", 900, { reference: "Y", counterparty: "Z" })]);
      await world.run();
      expect(await world.matches({ state: "confirmed" })).toHaveLength(2);
      await world.ok("PUT", `reconciliations/${world.period}/rules`, {
        body: { rules: [{ name: "Name", kind: "exact", on: ["counterparty"], then: "match" }] },
      });
      const run = await world.run();
      expect(run).toMatchObject({ status: "done", rules_version: 1, changed: { undone: 2 } });
      expect(await world.matches({ state: "confirmed" })).toEqual([]);
      expect((await world.proof()).holds).toBe(true);
    },
    SLOW,
  );
});

test(
  "another tenant's match, run and period are not there",
  async () => {
    const { world, suggested } = await suggesting();
    const other = await World.create();
    const run = await world.run();
    for (const path of [
      `matches/${suggested.id}`,
      `runs/${run.id}`,
      `reconciliations/${world.period}/proof`,
      `reconciliations/${world.period}/matches`,
    ])
      expectProblem(await other.call("GET", path), "not_found");
    expectProblem(await other.call("POST", `matches/${suggested.id}/confirm`), "not_found");
  },
  SLOW,
);

test(
  "a key confirms with the scope to write reconciliations, and closes never",
  async () => {
    const { world, suggested } = await suggesting();
    const key = await world.ok<{ key_id: string; key_secret: string }>("POST", `tenants/${world.tenant}/api-keys`, {
      body: { name: uniqueName("Key"), scopes: ["write:reconciliations", "read:reconciliations"] },
    });
    const bearer = `${key.key_id}.${key.key_secret}`;
    expect((await world.call("POST", `matches/${suggested.id}/confirm`, { bearer })).status).toBe(200);
    const refused = await world.call("POST", `reconciliations/${world.period}/close`, { bearer });
    expect(refused.status).toBe(403);
    const [a = ""] = await world.add("left", [line("w", 3)]);
    const [b = ""] = await world.add("left", [line("v", -2)]);
    const body = { line_ids: [a, b], adjustments: [{ kind: "write_off", amount_minor: 1 }] };
    expectProblem(await world.call("POST", `reconciliations/${world.period}/matches`, { bearer, body }), "role_required");
    expect((await world.call("POST", `reconciliations/${world.period}/matches`, { body })).status).toBe(201);
  },
  SLOW,
);
