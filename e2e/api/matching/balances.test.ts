import { expect, test } from "vitest";
import { api } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Import } from "#lib/imports/contract.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import type { Checklist } from "#lib/matching/sign-off/contract.ts";
import type { SourceBalance } from "#lib/sources/balances/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;

/** An MT940 statement of one account, with amounts as the format writes them. */
const statementFile = (
  opening: string,
  closing: string,
  [from, to]: [string, string],
  entries: string[],
) =>
  [
    ":20:STARTUMSE",
    ":25:10010010/1234567",
    ":28C:00001/001",
    `:60F:C${from}EUR${opening}`,
    ...entries.flatMap((entry) => [`:61:${entry}`, ":86:Payment"]),
    `:62F:C${to}EUR${closing}`,
    "-",
    "",
  ].join("\r\n");

async function importFile(fixture: Fixture, source: string, text: string): Promise<Import> {
  const answer = await api("POST", `/v1/sources/${source}/imports`, {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    query: { format: "mt940" },
    headers: { "Content-Type": "application/octet-stream" },
    body: text,
  });
  const { id } = answer.json as { id: string };
  return until("the import is done", async () => {
    const found = await fixture.ok<Import>("GET", `imports/${id}`);
    return found.status === "done" && found;
  });
}

const balances = async (fixture: Fixture, source: string) =>
  (await fixture.ok<{ items: SourceBalance[] }>("GET", `sources/${source}/balances`)).items;

test(
  "a statement starts and ends with the balances that the bank's file states",
  async () => {
    const fixture = await Fixture.create();
    const imported = await importFile(
      fixture,
      fixture.left,
      statementFile("1000,00", "1250,00", ["261001", "261031"], ["2610151015C250,00NTRFA//1"]),
    );
    expect(await balances(fixture, fixture.left)).toMatchObject([
      {
        period_end: "2026-10-31",
        opening_minor: 100_000,
        closing_minor: 125_000,
        import_id: imported.id,
        reason: null,
      },
    ]);
    await fixture.add("right", [{ ...line("b", 24_000), value_date: "2026-10-15" }]);
    await fixture.ok("POST", `sources/${fixture.right}/balances`, {
      body: { day: "2026-10-31", amount: "1240.00", reason: "Trial balance" },
    });
    const statement = await fixture.ok<Statement>(
      "GET",
      `reconciliations/${fixture.period}/statement`,
    );
    expect(statement.balances).toMatchObject([
      {
        side: "left",
        stated_opening_minor: 100_000,
        stated_closing_minor: 125_000,
        stated_on: "2026-10-31",
        timing_minor: 0,
        unaccounted_minor: 0,
      },
      { side: "right", stated_closing_minor: 124_000, stated_opening_minor: 100_000 },
    ]);
    // Both lines are outstanding, and both sides began with the same balance.
    expect(statement.differences).toMatchObject([{ difference_minor: 0, unexplained_minor: 0 }]);

    await fixture.ok("POST", `imports/${imported.id}/undo`);
    expect(await balances(fixture, fixture.left)).toEqual([]);
  },
  SLOW,
);

test(
  "a difference from before the first line is unexplained",
  async () => {
    const fixture = await Fixture.create();
    await fixture.add("left", [line("a", 500)]);
    await fixture.add("right", [line("b", 500)]);
    for (const [source, amount_minor] of [
      [fixture.left, 10_500],
      [fixture.right, 9_500],
    ])
      await fixture.ok("POST", `sources/${source}/balances`, {
        body: { day: "2026-10-31", amount_minor, reason: "Trial balance" },
      });
    const { differences } = await fixture.ok<Statement>(
      "GET",
      `reconciliations/${fixture.period}/statement`,
    );
    expect(differences).toMatchObject([{ difference_minor: 0, unexplained_minor: 1_000 }]);
  },
  SLOW,
);

test(
  "a statement that is missing between two others is named with its amount",
  async () => {
    const fixture = await Fixture.create();
    await importFile(
      fixture,
      fixture.left,
      statementFile("100,00", "150,00", ["261001", "261010"], ["2610051005C50,00NTRFA//1"]),
    );
    await importFile(
      fixture,
      fixture.left,
      statementFile("130,00", "140,00", ["261020", "261031"], ["2610251025C10,00NTRFB//2"]),
    );
    const { sources, items } = await fixture.ok<Checklist>(
      "GET",
      `reconciliations/${fixture.period}/checklist`,
    );
    expect(sources[0]?.breaks).toEqual([
      { kind: "gap", from: "2026-10-10", to: "2026-10-20", minor: -2_000 },
    ]);
    expect(items.find(({ check }) => check === "balances")).toMatchObject({
      outcome: "warn",
    });
  },
  SLOW,
);

test("a stated balance can be removed; a file's own one is removed with its import", async () => {
  const fixture = await Fixture.create();
  await importFile(
    fixture,
    fixture.left,
    statementFile("0,00", "1,00", ["261001", "261031"], ["2610051005C1,00NTRFA//1"]),
  );
  const [ofFile] = await balances(fixture, fixture.left);
  const path = `sources/${fixture.left}/balances`;
  expectProblem(await fixture.call("DELETE", `${path}/${ofFile?.id}`), "conflict");
  const { id } = await fixture.ok<SourceBalance>("POST", path, {
    body: { day: "2026-11-30", amount: "2.00", reason: "By phone" },
  });
  expect((await balances(fixture, fixture.left)).map((balance) => balance.id)).toEqual([
    id,
    ofFile?.id,
  ]);
  expect((await fixture.call("DELETE", `${path}/${id}`)).status).toBe(200);
  expect((await balances(fixture, fixture.left)).map((balance) => balance.id)).toEqual([
    ofFile?.id,
  ]);
  const tooFine = { day: "2026-11-30", amount: "2.001", reason: "By phone" };
  expectProblem(await fixture.call("POST", path, { body: tooFine }), "invalid_request");
});

/** The breaks of the left source, and what the checklist says about balances. */
async function balanceCheck(fixture: Fixture) {
  const { sources, items } = await fixture.ok<Checklist>(
    "GET",
    `reconciliations/${fixture.period}/checklist`,
  );
  return {
    breaks: sources[0]?.breaks,
    detail: items.find(({ check }) => check === "balances")?.detail,
  };
}

const record = (fixture: Fixture, day: string, amount: string, fields: object = {}) =>
  fixture.ok("POST", `sources/${fixture.left}/balances`, {
    body: { day, amount, reason: "Online banking", ...fields },
  });

test(
  "a balance recorded within or after a statement is a break only if it differs",
  async () => {
    const fixture = await Fixture.create();
    await importFile(
      fixture,
      fixture.left,
      statementFile("100,00", "150,00", ["261001", "261031"], ["2610051005C50,00NTRFA//1"]),
    );
    await record(fixture, "2026-10-03", "100.00");
    await record(fixture, "2026-10-20", "150.00");
    await record(fixture, "2026-10-31", "150.00");
    expect((await balanceCheck(fixture)).breaks).toEqual([]);
    await record(fixture, "2026-09-30", "90.00");
    await record(fixture, "2026-10-31", "149.00");
    expect((await balanceCheck(fixture)).breaks).toEqual([
      { kind: "gap", from: "2026-09-30", to: "2026-10-03", minor: 1_000 },
      { kind: "overlap", from: "2026-10-31", to: "2026-10-31", minor: -100 },
    ]);
  },
  SLOW,
);

test(
  "statements of one day in any order, and a month's after those of its weeks, are no break",
  async () => {
    const fixture = await Fixture.create();
    const files: Parameters<typeof statementFile>[] = [
      ["100,00", "50,00", ["261005", "261005"], ["2610051005D50,00NTRFA//1"]],
      ["50,00", "80,00", ["261005", "261005"], ["2610051005C30,00NTRFB//2"]],
      ["80,00", "95,00", ["261025", "261031"], ["2610261026C15,00NTRFC//3"]],
      ["100,00", "95,00", ["261001", "261031"], ["2610051005D50,00NTRFA//1"]],
    ];
    for (const file of files) await importFile(fixture, fixture.left, statementFile(...file));
    expect((await balanceCheck(fixture)).breaks).toEqual([]);
  },
  SLOW,
);

test("lines in another currency than their source's need a balance in it, too", async () => {
  const fixture = await Fixture.create();
  await fixture.add("left", [line("a", 500), line("b", 700, { currency: "USD" })]);
  for (const source of [fixture.left, fixture.right])
    await fixture.ok("POST", `sources/${source}/balances`, {
      body: { day: "2026-10-31", amount: "5.00", reason: "Trial balance" },
    });
  expect((await balanceCheck(fixture)).detail).toMatch(/^The balance of Bank in USD is unknown\./);
  await record(fixture, "2026-10-31", "7.00", { currency: "USD" });
  expect((await balanceCheck(fixture)).detail).toMatch(/^All balances are known/);
});
