import { beforeEach, describe, expect, test } from "vitest";
import type { Decision, OpenLine } from "#lib/matching/workbench/contract.ts";
import { line, World } from "./world.ts";

const SLOW = 300_000;

type Page<Item> = { items: Item[]; next_cursor: string | null };

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const decisions = async () => (await world.ok<Page<Decision>>("GET", `reconciliations/${world.period}/decisions`)).items;
const openLines = (query: Record<string, string> = {}) =>
  world.ok<Page<OpenLine>>("GET", `reconciliations/${world.period}/open-lines`, { query });

/** A payment short by a fee, which a run only suggests. */
async function suggested(): Promise<string> {
  await world.add("left", [line("l", 99_750, { reference: "INV-1", counterparty: "Hansen" })]);
  await world.add("right", [line("r", 100_000, { reference: "INV-1", counterparty: "Hansen" })]);
  await world.run();
  const [match] = await world.matches({ state: "suggested" });
  expect(match).toBeDefined();
  return match?.id ?? "";
}

describe("a decision that is taken back", { timeout: SLOW }, () => {
  test("leaves what was confirmed suggested again, its lines open, and the proof holding", async () => {
    const id = await suggested();
    const before = await openLines();
    await world.ok("POST", `matches/${id}/confirm`);
    expect((await openLines()).items).toEqual([]);
    const [decision] = await decisions();
    expect(decision).toMatchObject({ action: "confirm", match_ids: [id], created_by: "user:ada", undone_at: null });
    await world.ok("POST", `decisions/${decision?.id}/undo`);
    expect(await openLines()).toEqual(before);
    expect((await world.matches({ state: "suggested" })).map((match) => match.id)).toEqual([id]);
    expect(await world.proof()).toMatchObject({ holds: true });
    expect(await decisions()).toMatchObject([{ id: decision?.id, undone_by: "user:ada" }]);
  });

  test("leaves what was rejected suggested again, so that it can be confirmed", async () => {
    const id = await suggested();
    await world.ok("POST", `matches/${id}/reject`);
    const [decision] = await decisions();
    await world.ok("POST", `decisions/${decision?.id}/undo`);
    expect(await world.ok("POST", `matches/${id}/confirm`)).toMatchObject({ state: "confirmed" });
  });

  test("opens lines that were matched by hand or excluded", async () => {
    const [left = ""] = await world.add("left", [line("l", 500)]);
    const [right = "", other = ""] = await world.add("right", [line("r", 500), line("o", 700)]);
    await world.ok("POST", `reconciliations/${world.period}/matches`, { body: { line_ids: [left, right] } });
    await world.ok("POST", `lines/${other}/exclude`, { body: { reason: "Not ours" } });
    for (const { id } of await decisions()) await world.ok("POST", `decisions/${id}/undo`);
    expect((await openLines()).items.map(({ id }) => id).sort()).toEqual([left, right, other].sort());
    expect(await world.proof()).toMatchObject({ holds: true });
  });

  test("is one, however many matches it held, and can be taken back once", async () => {
    await world.add(
      "left",
      [1, 2, 3].map((n) => line(`l${n}`, 90_000 + n * 1000 - 250, { reference: `INV-${n}`, counterparty: "Hansen" })),
    );
    await world.add(
      "right",
      [1, 2, 3].map((n) => line(`r${n}`, 90_000 + n * 1000, { reference: `INV-${n}`, counterparty: "Hansen" })),
    );
    await world.run();
    const ids = (await world.matches({ state: "suggested" })).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(1);
    await world.ok("POST", "matches/bulk", { body: { action: "confirm", ids } });
    const all = await decisions();
    expect(all.map(({ match_ids }) => match_ids.length)).toEqual([ids.length]);
    await world.ok("POST", `decisions/${all[0]?.id}/undo`);
    expect((await world.matches({ state: "suggested" })).map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(await world.call("POST", `decisions/${all[0]?.id}/undo`)).toMatchObject({ status: 409 });
  });

  test("is one's own, unless one may write reconciliations", async () => {
    const id = await suggested();
    const analyst = await world.as(["tenant_analyst"], "ana");
    await world.ok("POST", `matches/${id}/reject`);
    const [decision] = await decisions();
    const undo = (bearer: string) => world.call("POST", `decisions/${decision?.id}/undo`, { bearer });
    expect(await undo(analyst)).toMatchObject({ status: 403, json: { code: "role_required" } });
    expect(await undo(await world.as(["tenant_lead"], "leo"))).toMatchObject({ status: 200 });
    await world.ok("POST", `matches/${id}/confirm`, { bearer: analyst });
    const [own] = await decisions();
    await world.ok("POST", `decisions/${own?.id}/undo`, { bearer: analyst });
  });

  test("is refused once its period is closed", async () => {
    await world.ok("POST", `matches/${await suggested()}/confirm`);
    const [decision] = await decisions();
    await world.ok("POST", `reconciliations/${world.period}/close`);
    expect(await world.call("POST", `decisions/${decision?.id}/undo`)).toMatchObject({ status: 409 });
    expect((await openLines()).items).toEqual([]);
  });
});

describe("a line that is split", { timeout: SLOW }, () => {
  test("keeps open what the other side has not, to the cent", async () => {
    const [left = ""] = await world.add("left", [line("l", 100_000)]);
    const [right = ""] = await world.add("right", [line("r", 40_001)]);
    const match = await world.ok("POST", `reconciliations/${world.period}/matches`, {
      body: { line_ids: [left, right], split_line_id: left },
    });
    expect(match).toMatchObject({ amount_minor: 40_001, residual_minor: 0 });
    expect((await openLines()).items).toMatchObject([{ id: left, amount_minor: 100_000, open_minor: 59_999 }]);
    expect(await world.proof()).toMatchObject({ holds: true });
  });

  test("is the larger one: the smaller has nothing to keep open", async () => {
    const [left = ""] = await world.add("left", [line("l", 100_000)]);
    const [right = ""] = await world.add("right", [line("r", 40_001)]);
    const body = { line_ids: [left, right], split_line_id: right };
    expect(await world.call("POST", `reconciliations/${world.period}/matches`, { body })).toMatchObject({
      status: 400,
      json: { errors: [{ path: "split_line_id" }] },
    });
  });
});

describe("open lines", { timeout: SLOW }, () => {
  test("come oldest first or with the most money first, a page at a time, each once", async () => {
    await world.add(
      "left",
      [5, 3, 9, 1, 7].map((n) => line(`l${n}`, n % 2 ? n * 100 : -n * 100, { value_date: `2026-10-0${(n % 4) + 1}` })),
    );
    const pages = async (query: Record<string, string>) => {
      const found: OpenLine[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: Page<OpenLine> = await openLines({ limit: "2", side: "left", ...query, ...(cursor && { cursor }) });
        found.push(...page.items);
        cursor = page.next_cursor;
      }
      return found;
    };
    const byDate = (await pages({})).map(({ value_date }) => value_date);
    expect(byDate).toEqual([...byDate].sort());
    const byAmount = (await pages({ sort: "amount" })).map(({ open_minor }) => Math.abs(open_minor));
    expect(byAmount).toEqual([900, 700, 500, 300, 100]);
  });

  test("are found by text, by amount, and by whether something is suggested", async () => {
    await suggested();
    await world.add("left", [line("alone", 123_456, { counterparty: "Nobody" })]);
    const found = async (query: Record<string, string>) =>
      (await openLines({ side: "left", ...query })).items.map(({ external_id }) => external_id);
    expect(await found({ q: "nobo" })).toEqual(["alone"]);
    expect(await found({ q: "123456" })).toEqual(["alone"]);
    expect(await found({ amount_from: "100000" })).toEqual(["alone"]);
    expect(await found({ suggested: "false" })).toEqual(["alone"]);
    expect(await found({ suggested: "true" })).toEqual(["l"]);
  });
});
