import { beforeAll, describe, expect, test } from "vitest";
import { api, sql, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Line } from "#lib/lines/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import {
  added,
  addLines,
  createSource,
  createTeam,
  linesOf,
  listed,
  sourceOf,
  type Team,
} from "./ledgers.ts";

const COFFEE = { amount: "-2.80", value_date: "2026-10-05", counterparty: "Kaffeebar" };

let team: Team;
let source: Source;
beforeAll(async () => {
  team = await createTeam();
  source = await createSource(team);
});

const errorsOf = (json: unknown) =>
  (json as { errors: { path: string; message: string }[] }).errors;
const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
  api("PATCH", `/v1/sources/${id}`, { bearer: team.admin, tenant: team.tenant, body, headers });

describe("a source", () => {
  test("is created with defaults, and read back the same", async () => {
    expect(source).toEqual({
      id: expect.stringMatching(/^src_/),
      name: expect.stringContaining("Bank"),
      kind: "bank_statement",
      currency: "EUR",
      time_zone: "UTC",
      sign: "as_is",
      mapping: null,
      grace_days: 3,
      line_count: 0,
      last_import_at: null,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      created_by: "user:ada",
      updated_at: source.created_at,
    });
    expect(await sourceOf(team, source.id)).toEqual(source);
  });

  test("stores a mapping as a whole, and replaces it as a whole", async () => {
    const { id } = await createSource(team, {
      mapping: { fields: { amount: "Betrag", value_date: "Valuta" }, date_format: "DD.MM.YYYY" },
    });
    const { json } = await patch(id, { mapping: { fields: { amount: "Amount" } } });
    expect(json).toMatchObject({ mapping: { fields: { amount: "Amount" } } });
    expect((await patch(id, { mapping: null })).json).toMatchObject({ mapping: null });
  });

  test("keeps its currency and sign once it has lines", async () => {
    const { id } = await createSource(team);
    expect((await patch(id, { sign: "inverted" })).status).toBe(200);
    await added(team, id, [COFFEE]);
    expect((await patch(id, { sign: "as_is" })).status).toBe(409);
    expect((await patch(id, { currency: "USD" })).status).toBe(409);
    expect((await patch(id, { name: "Renamed" })).json).toMatchObject({
      name: "Renamed",
      line_count: 1,
      sign: "inverted",
    });
  });

  test("is changed only in the version of If-Match, which new lines don't change", async () => {
    const source = await createSource(team);
    const seen = await api("GET", `/v1/sources/${source.id}`, {
      bearer: team.admin,
      tenant: team.tenant,
    });
    await added(team, source.id, [COFFEE]);
    const etag = seen.headers.get("ETag") ?? "";
    expect((await patch(source.id, { name: "Mine" }, { "If-Match": etag })).status).toBe(200);
    expect((await patch(source.id, { name: "Theirs" }, { "If-Match": etag })).status).toBe(412);
  });

  test.each([
    ["an unknown currency", { currency: "XXX" }, "currency"],
    ["no time zone", { time_zone: "Mars/Olympus" }, "time_zone"],
    ["an unknown kind", { kind: "shoebox" }, "kind"],
    [
      "a mapping of no field",
      { mapping: { fields: { amuont: "Betrag" } } },
      "mapping.fields.amuont",
    ],
  ])("with %s is refused", async (_what, fields, path) => {
    const body = { name: "Bank", kind: "ledger", currency: "EUR", ...fields };
    const { status, json } = await api("POST", "/v1/sources", {
      bearer: team.admin,
      tenant: team.tenant,
      body,
    });
    expect([status, errorsOf(json)[0]?.path]).toEqual([400, path]);
  });
});

describe("lines of a call", () => {
  test("are stored with all of their fields", async () => {
    const { id } = await createSource(team);
    const sent = {
      external_id: "txn_1",
      amount: "1250.00",
      fee: "18.40",
      currency: "EUR",
      value_date: "2026-10-05",
      booked_date: "2026-10-06",
      reference: "RG-4711",
      counterparty: "Kunde 17 GmbH",
      description: "Invoice 4711,\nthank you",
      group_key: "po_12",
      details: { channel: "web", deep: [{ a: null }] },
    };
    const { items, accepted_count, duplicate_count } = await added(team, id, [sent]);
    expect([accepted_count, duplicate_count]).toEqual([1, 0]);
    const { json, headers } = await api("GET", `/v1/lines/${items[0]?.id}`, {
      bearer: team.admin,
      tenant: team.tenant,
    });
    const { amount: _amount, fee: _fee, ...remaining } = sent;
    expect(json).toEqual({
      ...remaining,
      id: items[0]?.id,
      source_id: id,
      import_id: null,
      file_line: null,
      amount_minor: 125_000,
      fee_minor: 1840,
      state: "open",
      open_minor: 125_000,
      match_ids: [],
      exception_id: null,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    expect(headers.get("ETag")).toMatch(/^"/);
    expect(await sourceOf(team, id)).toMatchObject({ line_count: 1 });
  });

  test("have the stated fee, and reject an invalid, repeated or out-of-range one", async () => {
    const { id } = await createSource(team, { currency: "JPY" });
    const day = { value_date: "2026-10-05" };
    const { items } = await added(team, id, [
      { ...day, amount: "1000", fee: "29" },
      { ...day, amount_minor: -1000, fee_minor: -29 },
      { ...day, amount_minor: 0, fee: "15", currency: "EUR" },
      { ...day, amount: "1000" },
    ]);
    const fees = new Map(
      (await linesOf(team, { source_id: id })).map((line) => [line.id, line.fee_minor]),
    );
    expect(items.map((item) => fees.get(item.id))).toEqual([29, -29, 1500, null]);
    for (const [fee, path] of [
      [{ fee: "2.9" }, "lines.0.fee"],
      [{ fee: "29", fee_minor: 29 }, "lines.0.fee"],
      [{ amount: undefined, amount_minor: Number.MAX_SAFE_INTEGER, fee_minor: -1 }, "lines.0.fee"],
    ] as const) {
      const { status, json } = await addLines(team, id, [{ ...day, amount: "1000", ...fee }]);
      expect([status, errorsOf(json).map((error) => error.path)]).toEqual([400, [path]]);
    }
  });

  test("are identified by their external_id, whatever their other fields", async () => {
    const { id } = await createSource(team);
    const first = await added(team, id, [{ ...COFFEE, external_id: "x" }]);
    const again = await added(team, id, [
      { ...COFFEE, external_id: "x", counterparty: "Other words" },
    ]);
    expect(again).toEqual({
      accepted_count: 0,
      duplicate_count: 1,
      items: [{ index: 0, id: first.items[0]?.id, duplicate: true }],
    });
  });

  test("are identified by content and number, so two equal payments stay two lines", async () => {
    const { id } = await createSource(team);
    expect(await added(team, id, [COFFEE, COFFEE])).toMatchObject({
      accepted_count: 2,
      duplicate_count: 0,
    });
    expect(await added(team, id, [COFFEE, COFFEE])).toMatchObject({
      accepted_count: 0,
      duplicate_count: 2,
    });
    expect(await added(team, id, [COFFEE, COFFEE, COFFEE])).toMatchObject({
      accepted_count: 1,
      duplicate_count: 2,
    });
    expect(await linesOf(team, { source_id: id })).toHaveLength(3);
  });

  test("in two sources are two lines, even if all fields are equal", async () => {
    const [one, two] = await Promise.all([createSource(team), createSource(team)]);
    await added(team, one.id, [COFFEE]);
    expect(await added(team, two.id, [COFFEE])).toMatchObject({ accepted_count: 1 });
  });

  test("sent twice concurrently are stored once", async () => {
    const { id } = await createSource(team);
    const lines = Array.from({ length: 300 }, (_, nth) => ({
      ...COFFEE,
      reference: `R${nth % 150}`,
    }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => added(team, id, lines)));
    expect(answers.reduce((sum, { accepted_count }) => sum + accepted_count, 0)).toBe(300);
    expect(await linesOf(team, { source_id: id })).toHaveLength(300);
    expect(await sourceOf(team, id)).toMatchObject({ line_count: 300 });
  });

  test("with one idempotency key get the same response, and are added once", async () => {
    const { id } = await createSource(team);
    const headers = { "Idempotency-Key": "once" };
    const first = await addLines(team, id, [COFFEE], headers);
    const again = await addLines(team, id, [COFFEE], headers);
    expect(again.json).toEqual(first.json);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect((await addLines(team, id, [COFFEE, COFFEE], headers)).status).toBe(422);
  });

  test("use the decimals of their currency, by default the source's", async () => {
    const { id } = await createSource(team, { currency: "KWD" });
    await added(team, id, [
      { amount: "1.234", value_date: "2026-10-05" },
      { amount: "500", currency: "JPY", value_date: "2026-10-05" },
      { amount_minor: -7, value_date: "2026-10-05" },
    ]);
    const remaining = (await linesOf(team, { source_id: id })).map(
      ({ amount_minor, currency }) => `${amount_minor} ${currency}`,
    );
    expect(remaining.sort()).toEqual(["-7 KWD", "1234 KWD", "500 JPY"]);
  });

  test.each([
    ["more decimals than its currency", { amount: "12.505" }, "lines.1.amount"],
    ["decimals of a currency without any", { amount: "12.5", currency: "JPY" }, "lines.1.amount"],
    ["a thousands separator", { amount: "1,250.00" }, "lines.1.amount"],
    ["an amount beyond what a number holds", { amount: "90071992547409.93" }, "lines.1.amount"],
    ["two amounts", { amount_minor: 5 }, "lines.1.amount"],
    ["an unknown currency", { currency: "XXX" }, "lines.1.currency"],
    ["no day", { value_date: "2026-02-30" }, "lines.1.value_date"],
    ["an unknown field", { amuont: "1" }, "lines.1.amuont"],
    [
      "the external_id of a line with another amount",
      { external_id: "taken" },
      "lines.1.external_id",
    ],
  ])("with %s are refused together", async (_what, fields, path) => {
    const { id } = await createSource(team);
    const { status, json, text } = await addLines(team, id, [
      { ...COFFEE, amount: "-9.00", external_id: "taken" },
      { ...COFFEE, ...fields },
    ]);
    expect([status, errorsOf(json)?.[0]?.path], text).toEqual([400, path]);
    expect(await linesOf(team, { source_id: id })).toEqual([]);
  });

  test("are visible only to the tenant, and added only by members who may write", async () => {
    const other = await createTeam();
    const { items } = await added(team, source.id, [COFFEE]);
    const id = items[0]?.id ?? "";
    const seen = await api("GET", `/v1/lines/${id}`, { bearer: other.admin, tenant: other.tenant });
    const never = await api("GET", `/v1/lines/lin_${"0".repeat(32)}`, {
      bearer: other.admin,
      tenant: other.tenant,
    });
    expect([seen.status, (seen.json as { detail: string }).detail]).toEqual([
      404,
      (never.json as { detail: string }).detail,
    ]);
    expect((await addLines(other, source.id, [COFFEE])).status).toBe(404);
    expect(
      (
        await addLines(
          { ...team, admin: await userToken(team.tenant, ["tenant_analyst"]) },
          source.id,
          [COFFEE],
        )
      ).status,
    ).toBe(403);
  });
});

describe("the list of lines", () => {
  const DAYS = 30;
  let listedSource: Source;
  let all: Line[];
  beforeAll(async () => {
    listedSource = await createSource(team);
    await added(
      team,
      listedSource.id,
      Array.from({ length: 300 }, (_, nth) => ({
        external_id: `n${nth}`,
        amount_minor: nth - 150,
        ...(nth % 10 === 0 && { currency: "USD" }),
        value_date: `2026-09-${String(1 + (nth % DAYS)).padStart(2, "0")}`,
        counterparty: nth % 2 ? "Müller & Söhne 50%" : "Stadtwerke",
        description: `Invoice ${nth}`,
      })),
    );
    all = await linesOf(team, { source_id: listedSource.id });
  });

  test("shows each line once across pages, the latest value date first", async () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(300);
    const days = all.map(({ value_date }) => value_date);
    expect(days).toEqual(days.toSorted().reverse());
    const short: Line[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await listed(team, {
        source_id: listedSource.id,
        limit: "37",
        ...(cursor && { cursor }),
      });
      short.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(short.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });

  test.each<[string, Record<string, string>, (line: Line) => boolean]>([
    ["currency", { currency: "USD" }, ({ currency }) => currency === "USD"],
    [
      "days",
      { date_from: "2026-09-10", date_to: "2026-09-12" },
      ({ value_date }) => value_date >= "2026-09-10" && value_date <= "2026-09-12",
    ],
    [
      "amounts",
      { amount_from: "-5", amount_to: "5" },
      ({ amount_minor }) => Math.abs(amount_minor) <= 5,
    ],
    ["words", { q: "müller 50%" }, ({ counterparty }) => counterparty?.includes("50%") === true],
    [
      "a word of one line",
      { q: "n17" },
      ({ external_id }) => external_id?.includes("n17") === true,
    ],
    ["what is open", { state: "open" }, () => true],
    ["what is matched", { state: "matched" }, () => false],
  ])("filters by %s", async (_what, query, keeps) => {
    const found = await linesOf(team, { source_id: listedSource.id, ...query });
    expect(found.map(({ id }) => id)).toEqual(all.filter(keeps).map(({ id }) => id));
  });

  test("finds a line by parts of words and amounts, indexed or not", async () => {
    const { id } = await createSource(team);
    await added(team, id, [
      {
        external_id: "in",
        amount: "1250.00",
        value_date: "2026-10-05",
        reference: "RG-2026-4711",
        counterparty: "Müller & Co",
      },
      {
        external_id: "out",
        amount: "-1250.00",
        value_date: "2026-10-06",
        reference: "100% Rabatt_1",
      },
      { external_id: "other", amount: "12.50", value_date: "2026-10-07", description: "Miete" },
    ]);
    const searches: [string, string[]][] = [
      ["2026-47 müLL", ["in"]],
      ["1,250.00", ["out", "in"]],
      ["1.250", ["out", "in"]],
      ["-1250", ["out"]],
      ["12,5", ["other"]],
      ["100% t_1", ["out"]],
      ["miete rg", []],
      ["   ", ["other", "out", "in"]],
    ];
    const findAll = async () =>
      Promise.all(
        searches.map(async ([q]) => [
          q,
          (await linesOf(team, { source_id: id, ...(q.trim() && { q }) })).map(
            ({ external_id }) => external_id,
          ),
        ]),
      );
    expect(await findAll()).toEqual(searches);
    await until("the texts of the lines are indexed", async () => {
      await sql("select private.index_lines()");
      const [row] = await sql<{ n: number }>(
        `select count(*)::integer as n from private.line_texts t
         join public.sources s using (tenant_id, source_no) where s.id = $1`,
        [id],
      );
      return row?.n === 3;
    });
    expect(await findAll()).toEqual(searches);
  });

  test("over all sources is in one order", async () => {
    const days = (await linesOf(team, {})).map(({ value_date }) => value_date);
    expect(days.length).toBeGreaterThan(300);
    expect(days).toEqual(days.toSorted().reverse());
  });

  test("with an unknown source is 404", async () => {
    const { status } = await api("GET", "/v1/lines", {
      bearer: team.admin,
      tenant: team.tenant,
      query: { source_id: "src_00000000000000000000000000000000" },
    });
    expect(status).toBe(404);
  });
});
