import { readXlsx } from "hucre/xlsx";
import { expect, test } from "vitest";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;

/** Open lines: a receipt and a payment at the bank, and two in the ledger that cancel out. */
async function october(): Promise<Fixture> {
  const fixture = await Fixture.create();
  await fixture.ok("PATCH", `sources/${fixture.left}`, { body: { kind: "bank_statement" } });
  await fixture.add("left", [
    line("transfer", 500),
    line("fee", -200, { value_date: "2026-10-30" }),
  ]);
  await fixture.add("right", [line("deposit", 900), line("check", -900)]);
  return fixture;
}

const path = (fixture: Fixture) => `reconciliations/${fixture.period}/statement`;

test(
  "a statement separates outstanding receipts from payments, even where they cancel each other",
  async () => {
    const fixture = await october();
    const statement = await fixture.ok<Statement>("GET", path(fixture));
    expect(statement).toMatchObject({ left_kind: "bank_statement", right_kind: "ledger" });
    expect(statement.aging).toEqual([
      {
        currency: "EUR",
        side: "left",
        days_from: 0,
        line_count: 1,
        open_minor: -200,
        receipt_count: 0,
        receipt_minor: 0,
        payment_count: 1,
        payment_minor: -200,
      },
      {
        currency: "EUR",
        side: "left",
        days_from: 8,
        line_count: 1,
        open_minor: 500,
        receipt_count: 1,
        receipt_minor: 500,
        payment_count: 0,
        payment_minor: 0,
      },
      {
        currency: "EUR",
        side: "right",
        days_from: 8,
        line_count: 2,
        open_minor: 0,
        receipt_count: 1,
        receipt_minor: 900,
        payment_count: 1,
        payment_minor: -900,
      },
    ]);
  },
  SLOW,
);

test(
  "the export names the kind of each outstanding line and adds the kinds up",
  async () => {
    const fixture = await october();
    const { text } = await fixture.call("GET", `${path(fixture)}/export`, {
      query: { format: "csv" },
    });
    const rows = text.split("\r\n").map((row) => row.split(","));
    const of = (kind: string) => rows.filter(([first]) => first === kind);
    expect(of("outstanding").map(([, item, , side, amount]) => [item, side, amount])).toEqual([
      ["receipt", "left", "5.00"],
      ["receipt", "right", "9.00"],
      ["payment", "right", "-9.00"],
      ["payment", "left", "-2.00"],
    ]);
    expect(
      of("balance")
        .map(([, item, , side, amount]) => [item, side, amount])
        .filter(([item]) => item?.startsWith("outstanding")),
    ).toEqual([
      ["outstanding", "left", "3.00"],
      ["outstanding_receipts", "left", "5.00"],
      ["outstanding_payments", "left", "-2.00"],
      ["outstanding", "right", "0.00"],
      ["outstanding_receipts", "right", "9.00"],
      ["outstanding_payments", "right", "-9.00"],
    ]);
    const { bytes } = await fixture.call("GET", `${path(fixture)}/export`, {
      query: { format: "xlsx" },
    });
    const sheet = (await readXlsx(bytes)).sheets.find(({ name }) => name === "Outstanding");
    const [header = [], first = []] = sheet?.rows ?? [];
    expect(first[header.indexOf("Kind")]).toBe("Receipt");
  },
  SLOW,
);

test(
  "the title sheet names who prepared, reviewed and closed the period, and when",
  async () => {
    const fixture = await Fixture.create();
    const period = `reconciliations/${fixture.period}`;
    const { rules } = await fixture.ok<{ rules: object[] }>("GET", `${period}/rules`);
    await fixture.ok("PUT", `${period}/rules`, { body: { rules, review_levels: 1 } });
    const cover = async () => {
      const { bytes, text, status } = await fixture.call("GET", `${path(fixture)}/export`, {
        query: { format: "xlsx" },
      });
      expect(status, text).toBe(200);
      const facts = (await readXlsx(bytes)).sheets[0]?.rows ?? [];
      return new Map(facts.map(([name, value]) => [name, value]));
    };
    const as = async (action: string, who: string) =>
      fixture.ok("POST", `${period}/${action}`, {
        bearer: await fixture.as(["tenant_lead"], who),
      });
    await as("prepare", "leo");
    expect((await cover()).get("Prepared by")).toMatch(/^leo, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    await as("review", "lea");
    await as("close", "max");
    const closed = await cover();
    for (const [name, who] of [
      ["Prepared by", "leo"],
      ["Reviewed by", "lea"],
      ["Closed by", "max"],
    ] as const)
      expect(closed.get(name)).toMatch(
        new RegExp(`^${who}, \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC$`),
      );
  },
  SLOW,
);

test(
  "exports are named by pair and period, in ASCII and in full",
  async () => {
    const fixture = await Fixture.create();
    const { id } = await fixture.source("Bücher");
    fixture.period = (await fixture.bind({ right_source_id: id })).id;
    const named = async (path: string, query: Record<string, string>) =>
      (await fixture.call("GET", path, { query })).headers.get("content-disposition");
    expect(await named(`${path(fixture)}/export`, { format: "csv" })).toBe(
      `attachment; filename="statement-Bank-B_cher-2026-10-31.csv"; filename*=UTF-8''statement-Bank-B%C3%BCcher-2026-10-31.csv`,
    );
    expect(await named(`${path(fixture)}/export`, { format: "xlsx", matches: "true" })).toContain(
      `filename="statement-Bank-B_cher-2026-10-31-matches.xlsx"`,
    );
    expect(
      await named(`reconciliations/${fixture.period}/matches/export`, { format: "ndjson" }),
    ).toContain(`filename="matches-Bank-B_cher-2026-10-31.ndjson"`);
    expect(await named("exceptions/export", { format: "csv" })).toBe(
      'attachment; filename="exceptions.csv"',
    );
  },
  SLOW,
);
