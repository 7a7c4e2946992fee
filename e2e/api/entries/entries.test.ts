import { beforeAll, describe, expect, test } from "vitest";
import { api, sql, uniqueName, userToken } from "#e2e/fixtures.ts";
import type { Entry, EntryBatch } from "#lib/entries/contract.ts";
import type { EntryPreview, EntryRuleSet } from "#lib/entries/rules/contract.ts";
import { Fixture, line } from "../matching/matching-fixture.ts";
import { BANK_FEE, october, RULES } from "./october.ts";

type Body = { rules?: object; ledger?: object };
const put = (fixture: Fixture, body: Body, period = fixture.period) =>
  fixture.ok<EntryRuleSet>("PUT", `reconciliations/${period}/entry-rules`, {
    body: { rules: RULES, ...body },
  });
const batches = async (fixture: Fixture, query: Record<string, string> = {}) =>
  (await fixture.ok<{ items: EntryBatch[] }>("GET", "entry-batches", { query })).items;
const entries = async (fixture: Fixture, { id }: EntryBatch) =>
  (
    await fixture.ok<{ items: Entry[] }>("GET", `entry-batches/${id}/entries`, {
      query: { limit: "250" },
    })
  ).items;
const close = (fixture: Fixture, period = fixture.period) =>
  fixture.ok("POST", `reconciliations/${period}/close`);
const reopen = (fixture: Fixture, period = fixture.period) =>
  fixture.ok("POST", `reconciliations/${period}/reopen`, {
    body: { reason: "A page was missing" },
  });
const events = (fixture: Fixture, type: string) =>
  sql<{ target: string; details: Record<string, unknown> }>(
    "select target, details from security_events where tenant_id = $1 and type = $2 order by id",
    [fixture.tenant, type],
  );

describe("entry rules", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await october();
  });

  test("belong to the pair, in versions that If-Match guards, with an event before and after", async () => {
    const path = `reconciliations/${fixture.period}/entry-rules`;
    const none = await fixture.ok<EntryRuleSet>("GET", path);
    expect(none).toMatchObject({ version: 0, updated_by: null, rules: { fee: null } });
    expect(await put(fixture, {})).toMatchObject({
      version: 1,
      updated_by: "user:ada",
      rules: { fee: BANK_FEE, fx: null },
      ledger: { datev_account_length: 4, sap_company_code: null },
    });
    const { etag = "" } = Object.fromEntries((await fixture.call("GET", path)).headers);
    await put(fixture, { rules: {} });
    const stale = await api("PUT", `/v1/${path}`, {
      bearer: fixture.admin,
      tenant: fixture.tenant,
      body: { rules: RULES },
      headers: { "If-Match": etag },
    });
    expect(stale.status).toBe(412);
    const [first] = await events(fixture, "entries.rules_updated");
    expect(first).toMatchObject({
      target: fixture.period,
      details: { from: { version: 0 }, to: { version: 1, rules: { fee: BANK_FEE } } },
    });
  });

  test.each([
    ["an unknown placeholder", { text: "{iban}" }],
    ["an unbalanced brace", { text: "Fee {" }],
    ["a line break in an account", { account: "49\n70" }],
  ])("%s is refused", async (_what, fault) => {
    const answer = await fixture.call("PUT", `reconciliations/${fixture.period}/entry-rules`, {
      body: { rules: { fee: { ...BANK_FEE, ...fault } } },
    });
    expect(answer.status).toBe(400);
  });

  test("are previewed on a period without storing anything, and items without a rule are reported", async () => {
    const { sums, entries, without_rule } = await fixture.ok<EntryPreview>(
      "POST",
      `reconciliations/${fixture.period}/entries/preview`,
      { body: { rules: { fee: BANK_FEE } } },
    );
    expect(sums).toEqual([
      { currency: "EUR", entry_count: 1, debit_minor: 250, credit_minor: 250 },
    ]);
    expect(entries).toMatchObject([
      {
        kind: "fee",
        amount_minor: 250,
        difference_minor: -250,
        debit_account: "4970",
        credit_account: "1200",
        cost_center: "200",
        text: "Fee 2026-10 RG-1 2.50 EUR",
      },
    ]);
    expect(without_rule).toEqual([
      { kind: "carried_left", currency: "EUR", count: 1, difference_minor: 4_000 },
      { kind: "excluded_left", currency: "EUR", count: 1, difference_minor: -1_490 },
    ]);
    expect(await batches(fixture)).toEqual([]);
  });
});

describe("a close", () => {
  test("creates one balanced batch, bound to the signed statement", async () => {
    const fixture = await october();
    await put(fixture, {});
    await close(fixture);
    const [batch, ...more] = await batches(fixture);
    expect(more).toEqual([]);
    expect(batch).toMatchObject({
      number: "2026-0001",
      state: "ready",
      reconciliation_id: fixture.period,
      statement_number: 1,
      posting_date: "2026-10-31",
      entry_count: 3,
      reversal_count: 0,
      sums: [{ currency: "EUR", entry_count: 3, debit_minor: 5_740, credit_minor: 5_740 }],
    });
    const posted = await entries(fixture, batch as EntryBatch);
    expect(new Set(posted.map(({ id }) => id)).size).toBe(3);
    expect(
      posted.map(({ kind, debit_account, credit_account, amount_minor, text }) => [
        kind,
        debit_account,
        credit_account,
        amount_minor,
        text,
      ]),
    ).toEqual([
      ["carried_left", "1200", "1590", 4_000, "Open 2026-10-20"],
      ["excluded_left", "6800", "1200", 1_490, "Booked quarterly"],
      ["fee", "4970", "1200", 250, "Fee 2026-10 RG-1 2.50 EUR"],
    ]);
    const { statement, digest } = await fixture.ok<{
      statement: { entries: object };
      digest: string;
    }>("GET", `reconciliations/${fixture.period}/statements/1`);
    expect(statement.entries).toEqual({ count: 3, sha256: batch?.digest });
    expect(batch?.closing_digest).toBe(digest);
    const [closed] = await events(fixture, "reconciliation.closed");
    expect(closed?.details).toMatchObject({ batch_number: "2026-0001" });
    expect((await fixture.proof()).closing).toMatchObject({ digest, holds: true });
  });

  test("with nothing to post creates no batch and uses no number", async () => {
    const fixture = await october();
    await close(fixture);
    expect(await batches(fixture)).toEqual([]);
  });

  test("again posts only changes: reversals, then new entries", async () => {
    const fixture = await october();
    await put(fixture, {});
    await close(fixture);
    const [first] = await batches(fixture);
    await reopen(fixture);
    expect(await batches(fixture)).toEqual([first]);
    await fixture.ok("POST", `matches/${fixture.match}/undo`);
    await close(fixture);
    const [second] = await batches(fixture);
    expect(second).toMatchObject({ number: "2026-0002", statement_number: 2, reversal_count: 1 });
    expect(await entries(fixture, second as EntryBatch)).toMatchObject([
      {
        kind: "fee",
        debit_account: "1200",
        credit_account: "4970",
        amount_minor: 250,
        difference_minor: 250,
        reverses: "2026-0001/3",
      },
      { kind: "carried_left", amount_minor: 9_750, reverses: null },
    ]);
    // Nothing changed: nothing to post.
    await reopen(fixture);
    await close(fixture);
    expect(await batches(fixture)).toHaveLength(2);
  });

  test("reverses what an earlier period carried and this one settled", async () => {
    const fixture = await october();
    await put(fixture, {});
    await close(fixture);
    const { id } = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
    await excludeFirstOpen(fixture, id);
    await close(fixture, id);
    const [second] = await batches(fixture);
    expect(await entries(fixture, second as EntryBatch)).toMatchObject([
      { kind: "carried_left", reverses: "2026-0001/1", debit_account: "1590" },
      { kind: "excluded_left", amount_minor: 4_000, debit_account: "1200" },
    ]);
  });

  test("of another year numbers from 1, and each year continues its own numbers", async () => {
    const fixture = await october();
    await put(fixture, {});
    await close(fixture);
    const { id } = await fixture.bind({ period_start: "2027-01-01", period_end: "2027-01-31" });
    await excludeFirstOpen(fixture, id);
    await close(fixture, id);
    await reopen(fixture, id);
    await reopen(fixture);
    await fixture.ok("POST", `matches/${fixture.match}/undo`);
    await close(fixture);
    const [third, second] = await batches(fixture);
    expect([second, third]).toMatchObject([
      { number: "2027-0001", posting_date: "2027-01-31", reversal_count: 1 },
      { number: "2026-0002", posting_date: "2026-10-31" },
    ]);
    expect(await entries(fixture, second as EntryBatch)).toMatchObject([
      { kind: "carried_left", reverses: "2026-0001/1" },
      { kind: "excluded_left" },
    ]);
    expect(await entries(fixture, third as EntryBatch)).toContainEqual(
      expect.objectContaining({ kind: "fee", reverses: "2026-0001/3" }),
    );
  });

  test("concurrent with another of the tenant takes the next number, without a gap", async () => {
    const fixture = await october();
    await put(fixture, {});
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const left = (await fixture.source(uniqueName("Bank"))).id;
        const right = (await fixture.source(uniqueName("Ledger"))).id;
        await fixture.ok("POST", `sources/${left}/lines`, { body: { lines: [line("a", 100)] } });
        const { id } = await fixture.bind({ left_source_id: left, right_source_id: right });
        await put(fixture, {}, id);
        return id;
      }),
    );
    await Promise.all([fixture.period, ...others].map((id) => close(fixture, id)));
    expect((await batches(fixture)).map(({ number }) => number).sort()).toEqual([
      "2026-0001",
      "2026-0002",
      "2026-0003",
      "2026-0004",
    ]);
  });
});

describe("a batch", () => {
  let fixture: Fixture;
  let batch: EntryBatch;
  beforeAll(async () => {
    fixture = await october();
    await put(fixture, { ledger: { datev_consultant: 29_098, datev_client: 55_003 } });
    await close(fixture);
    batch = (await batches(fixture))[0] as EntryBatch;
  });
  const file = (query: Record<string, string>) =>
    fixture.call("GET", `entry-batches/${batch.id}/ledger-file`, { query });

  test("downloads as a DATEV file in Windows-1252, which doesn't mark it as exported", async () => {
    const { status, headers, bytes } = await file({ format: "datev" });
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toContain("EXTF_Buchungsstapel_2026-0001.csv");
    const lines = new TextDecoder("windows-1252").decode(bytes).split("\r\n");
    expect(lines[0]).toMatch(
      /^"EXTF";700;21;"Buchungsstapel";13;\d{17};;"RE";"";"";29098;55003;20260101;4;20261001;20261031;/,
    );
    expect(lines[1]).toContain("Geschäftspartnerbank");
    expect(lines[2]).toMatch(
      /^40,00;"S";"EUR";;;"";1200;1590;"";3110;"2026-0001\/1";"";;"Open 2026-10-20";/,
    );
    expect(lines).toHaveLength(6);
    expect((await batches(fixture))[0]).toMatchObject({ state: "ready", exported_at: null });
    expect((await events(fixture, "data.exported")).at(-1)?.details).toMatchObject({
      format: "datev",
    });
  });

  test("with an entry that the format can't hold is refused whole, with the entry's name", async () => {
    const answer = await file({ format: "xero" });
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({
      reason: "unsuitable_entry",
      detail: expect.stringContaining("Entry 2026-0001/1: tax_code"),
    });
    expect(await file({ format: "netsuite", currency: "USD" })).toMatchObject({ status: 400 });
    expect(await file({ format: "netsuite", part: "2" })).toMatchObject({ status: 400 });
  });

  test("exports as CSV and as a workbook with the chosen columns", async () => {
    const exported = (format: string) =>
      fixture.call("GET", `entry-batches/${batch.id}/entries/export`, {
        query: { format, columns: "amount,debit_account,text" },
      });
    expect((await exported("csv")).text.split("\r\n").slice(0, 2)).toEqual([
      "amount,debit_account,text",
      "40.00,1200,Open 2026-10-20",
    ]);
    expect((await exported("xlsx")).status).toBe(200);
  });

  test("is marked as exported once, by a permitted person, and shows who marked it", async () => {
    const path = `entry-batches/${batch.id}/exported`;
    const body = { ledger_reference: "JE-1" };
    const analyst = await userToken(fixture.tenant, ["tenant_analyst"], "ann");
    expect(await fixture.call("POST", path, { body, bearer: analyst })).toMatchObject({
      status: 403,
    });
    expect(await fixture.ok("POST", path, { body })).toMatchObject({
      state: "exported",
      exported_by: "user:ada",
      ledger_reference: "JE-1",
    });
    const again = await fixture.call("POST", path, { body });
    expect(again).toMatchObject({ status: 409, json: { reason: "already_exported" } });
    expect(await batches(fixture, { state: "ready" })).toEqual([]);
    expect(await events(fixture, "entries.exported")).toMatchObject([
      { target: batch.id, details: { name: "2026-0001", ledger_reference: "JE-1" } },
    ]);
  });

  test("of a period with four eyes can't be marked by a person who worked in it", async () => {
    const strict = await Fixture.create();
    await strict.ok("PUT", `reconciliations/${strict.period}/rules`, {
      body: {
        rules: [{ name: "Same reference", kind: "exact", on: ["reference"], then: "match" }],
        four_eyes: true,
      },
    });
    await strict.add("left", [line("a", 100)]);
    await put(strict, {});
    const lead = await userToken(strict.tenant, ["tenant_lead"], "lea");
    await strict.ok("POST", `reconciliations/${strict.period}/close`, { bearer: lead });
    const [{ id }] = (await batches(strict)) as [EntryBatch];
    const path = `entry-batches/${id}/exported`;
    expect(await strict.call("POST", path, { body: {} })).toMatchObject({
      status: 409,
      json: { reason: "second_person_required" },
    });
    const keyed = await strict.ok<{ key_id: string; key_secret: string }>(
      "POST",
      `tenants/${strict.tenant}/api-keys`,
      { body: { name: "ERP", scopes: ["read:reconciliations", "write:reconciliations"] } },
    );
    const bearer = `${keyed.key_id}.${keyed.key_secret}`;
    expect(await strict.call("POST", path, { body: {}, bearer })).toMatchObject({ status: 409 });
    expect(await strict.ok("POST", path, { body: {}, bearer: lead })).toMatchObject({
      exported_by: "user:lea",
    });
  });
});

async function excludeFirstOpen(fixture: Fixture, period: string): Promise<void> {
  const { items } = await fixture.ok<{ items: { id: string }[] }>("GET", "lines", {
    query: { reconciliation_id: period, state: "open" },
  });
  await fixture.ok("POST", `lines/${items[0]?.id}/exclude`, {
    body: { reason: "Written off", reconciliation_id: period },
  });
}
