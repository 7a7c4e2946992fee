import { beforeEach, describe, expect, test } from "vitest";
import type { Decision, OpenLine } from "#lib/matching/workbench/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;

type Page<Item> = { items: Item[]; next_cursor: string | null };

let fixture: Fixture;
beforeEach(async () => {
  fixture = await Fixture.create();
});

const decisions = async () =>
  (await fixture.ok<Page<Decision>>("GET", `reconciliations/${fixture.period}/decisions`)).items;
const openLines = (query: Record<string, string> = {}) =>
  fixture.ok<Page<OpenLine>>("GET", `reconciliations/${fixture.period}/open-lines`, { query });

/** A suggested match: a payment that is short by a fee. */
async function suggested(): Promise<string> {
  await fixture.add("left", [line("l", 99_750, { reference: "INV-1", counterparty: "Hansen" })]);
  await fixture.add("right", [line("r", 100_000, { reference: "INV-1", counterparty: "Hansen" })]);
  await fixture.run();
  const [match] = await fixture.matches({ state: "suggested" });
  expect(match).toBeDefined();
  return match?.id ?? "";
}

describe("a decision that is taken back", { timeout: SLOW }, () => {
  test("turns confirmed matches into suggestions, reopens their lines, and keeps the proof balanced", async () => {
    const id = await suggested();
    const before = await openLines();
    await fixture.ok("POST", `matches/${id}/confirm`);
    expect((await openLines()).items).toEqual([]);
    const [decision] = await decisions();
    expect(decision).toMatchObject({
      action: "confirm",
      match_ids: [id],
      created_by: "user:ada",
      undone_at: null,
    });
    await fixture.ok("POST", `decisions/${decision?.id}/undo`);
    expect(await openLines()).toEqual(before);
    expect((await fixture.matches({ state: "suggested" })).map((match) => match.id)).toEqual([id]);
    expect(await fixture.proof()).toMatchObject({ holds: true });
    expect(await decisions()).toMatchObject([{ id: decision?.id, undone_by: "user:ada" }]);
  });

  test("makes a rejected match a suggestion again", async () => {
    const id = await suggested();
    await fixture.ok("POST", `matches/${id}/reject`);
    const [decision] = await decisions();
    await fixture.ok("POST", `decisions/${decision?.id}/undo`);
    expect(await fixture.ok("POST", `matches/${id}/confirm`)).toMatchObject({ state: "confirmed" });
  });

  test("opens lines that were matched by hand or excluded", async () => {
    const [left = ""] = await fixture.add("left", [line("l", 500)]);
    const [right = "", other = ""] = await fixture.add("right", [line("r", 500), line("o", 700)]);
    await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
      body: { line_ids: [left, right] },
    });
    await fixture.ok("POST", `lines/${other}/exclude`, { body: { reason: "Not ours" } });
    for (const { id } of await decisions()) await fixture.ok("POST", `decisions/${id}/undo`);
    expect((await openLines()).items.map(({ id }) => id).sort()).toEqual(
      [left, right, other].sort(),
    );
    expect(await fixture.proof()).toMatchObject({ holds: true });
  });

  test("is one decision for any number of matches, and can be undone once", async () => {
    await fixture.add(
      "left",
      [1, 2, 3].map((n) =>
        line(`l${n}`, 90_000 + n * 1000 - 250, { reference: `INV-${n}`, counterparty: "Hansen" }),
      ),
    );
    await fixture.add(
      "right",
      [1, 2, 3].map((n) =>
        line(`r${n}`, 90_000 + n * 1000, { reference: `INV-${n}`, counterparty: "Hansen" }),
      ),
    );
    await fixture.run();
    const ids = (await fixture.matches({ state: "suggested" })).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(1);
    await fixture.ok("POST", "matches/bulk", { body: { action: "confirm", ids } });
    const all = await decisions();
    expect(all.map(({ match_ids }) => match_ids.length)).toEqual([ids.length]);
    await fixture.ok("POST", `decisions/${all[0]?.id}/undo`);
    expect((await fixture.matches({ state: "suggested" })).map(({ id }) => id).sort()).toEqual(
      ids.sort(),
    );
    expect(await fixture.call("POST", `decisions/${all[0]?.id}/undo`)).toMatchObject({
      status: 409,
    });
  });

  test("can be undone only by its author, or with permission to write reconciliations", async () => {
    const id = await suggested();
    const analyst = await fixture.as(["tenant_analyst"], "ana");
    await fixture.ok("POST", `matches/${id}/reject`);
    const [decision] = await decisions();
    const undo = (bearer: string) =>
      fixture.call("POST", `decisions/${decision?.id}/undo`, { bearer });
    expect(await undo(analyst)).toMatchObject({ status: 403, json: { code: "role_required" } });
    expect(await undo(await fixture.as(["tenant_lead"], "leo"))).toMatchObject({ status: 200 });
    await fixture.ok("POST", `matches/${id}/confirm`, { bearer: analyst });
    const [own] = await decisions();
    await fixture.ok("POST", `decisions/${own?.id}/undo`, { bearer: analyst });
  });

  test("is refused once its period is closed", async () => {
    await fixture.ok("POST", `matches/${await suggested()}/confirm`);
    const [decision] = await decisions();
    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    expect(await fixture.call("POST", `decisions/${decision?.id}/undo`)).toMatchObject({
      status: 409,
    });
    expect((await openLines()).items).toEqual([]);
  });
});

describe("a line that is split", { timeout: SLOW }, () => {
  test("keeps the unmatched part open, to the cent", async () => {
    const [left = ""] = await fixture.add("left", [line("l", 100_000)]);
    const [right = ""] = await fixture.add("right", [line("r", 40_001)]);
    const match = await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
      body: { line_ids: [left, right], split_line_id: left },
    });
    expect(match).toMatchObject({ amount_minor: 40_001, residual_minor: 0 });
    expect((await openLines()).items).toMatchObject([
      { id: left, amount_minor: 100_000, open_minor: 59_999 },
    ]);
    expect(await fixture.proof()).toMatchObject({ holds: true });
  });

  test("must be the larger one, because the smaller has nothing left to keep open", async () => {
    const [left = ""] = await fixture.add("left", [line("l", 100_000)]);
    const [right = ""] = await fixture.add("right", [line("r", 40_001)]);
    const body = { line_ids: [left, right], split_line_id: right };
    expect(
      await fixture.call("POST", `reconciliations/${fixture.period}/matches`, { body }),
    ).toMatchObject({
      status: 400,
      json: { errors: [{ path: "split_line_id" }] },
    });
  });
});

describe("open lines", { timeout: SLOW }, () => {
  test("come oldest first or with the most money first, a page at a time, each once", async () => {
    await fixture.add(
      "left",
      [5, 3, 9, 1, 7].map((n) =>
        line(`l${n}`, n % 2 ? n * 100 : -n * 100, { value_date: `2026-10-0${(n % 4) + 1}` }),
      ),
    );
    const pages = async (query: Record<string, string>) => {
      const found: OpenLine[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: Page<OpenLine> = await openLines({
          limit: "2",
          side: "left",
          ...query,
          ...(cursor && { cursor }),
        });
        found.push(...page.items);
        cursor = page.next_cursor;
      }
      return found;
    };
    const byDate = (await pages({})).map(({ value_date }) => value_date);
    expect(byDate).toEqual([...byDate].sort());
    const byAmount = (await pages({ sort: "amount" })).map(({ open_minor }) =>
      Math.abs(open_minor),
    );
    expect(byAmount).toEqual([900, 700, 500, 300, 100]);
  });

  test("are found by text, by amount, and by whether something is suggested", async () => {
    await suggested();
    await fixture.add("left", [line("alone", 123_456, { counterparty: "Nobody" })]);
    const found = async (query: Record<string, string>) =>
      (await openLines({ side: "left", ...query })).items.map(({ external_id }) => external_id);
    expect(await found({ q: "nobo" })).toEqual(["alone"]);
    expect(await found({ q: "123456" })).toEqual(["alone"]);
    expect(await found({ amount_from: "100000" })).toEqual(["alone"]);
    expect(await found({ suggested: "false" })).toEqual(["alone"]);
    expect(await found({ suggested: "true" })).toEqual(["l"]);
  });
});
