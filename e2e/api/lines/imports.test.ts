import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { api, sql } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import type { Import, ImportPreview } from "#lib/imports/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import {
  added,
  createSource,
  createTeam,
  imported,
  importIn,
  importOf,
  linesOf,
  sendFile,
  sourceOf,
  type Team,
  undo,
} from "./ledgers.ts";

const HEADER = "Valuta;Name;Verwendungszweck;Betrag\n";
const row = (day: number, amount: string, text = "RG-4711") =>
  `${String(day).padStart(2, "0")}.10.2026;Kunde 17 GmbH;${text};${amount}\n`;
/** Rows whose dates and amounts can be read in one way. */
const CSV = HEADER + row(25, "1.250,00") + row(26, "-12,50", "Gebühr") + row(27, "99,95");

let team: Team;
let source: Source;
beforeAll(async () => {
  team = await createTeam();
  source = await createSource(team);
});

const errorsOf = (json: unknown) =>
  (json as { errors: { path: string; message: string }[] }).errors;
const amounts = async (id: string) =>
  (await linesOf(team, { source_id: id }))
    .map(({ amount_minor }) => amount_minor)
    .sort((a, b) => a - b);
const rows = (count: number) =>
  HEADER +
  Array.from({ length: count }, (_, nth) => row(13 + (nth % 18), `${nth},50`, `RG-${nth}`)).join(
    "",
  );
const sample = (name: string) =>
  new Uint8Array(
    readFileSync(new URL(`../../../lib/imports/formats/samples/${name}`, import.meta.url)),
  );
const chunksOf = (id: string) =>
  sql("select from private.import_chunks where import_id = $1", [id]);

describe("a file", () => {
  test("is read by its content, and reports its result", async () => {
    const { id } = await createSource(team);
    const done = await imported(team, id, CSV, { query: { file_name: "oktober.csv" } });
    expect(done).toMatchObject({
      source_id: id,
      status: "done",
      format: "csv",
      file_name: "oktober.csv",
      read_count: 3,
      accepted_count: 3,
      duplicate_count: 0,
      refused_count: 0,
      refusals: [],
      balance_holds: null,
      bytes_read: Buffer.byteLength(CSV),
      bytes_total: Buffer.byteLength(CSV),
      failure: null,
      created_by: "user:ada",
    });
    expect(await amounts(id)).toEqual([-1250, 9995, 125_000]);
    expect(await linesOf(team, { source_id: id, import_id: done.id, q: "gebühr" })).toMatchObject([
      {
        file_line: 3,
        import_id: done.id,
        counterparty: "Kunde 17 GmbH",
        description: "Gebühr",
        value_date: "2026-10-26",
        open_minor: -1250,
      },
    ]);
    expect(await sourceOf(team, id)).toMatchObject({
      line_count: 3,
      last_import_at: done.finished_at,
    });
    expect(await chunksOf(done.id)).toEqual([]);
  });

  test.each([
    ["csv-german-bank.csv", 3, "Müller & Söhne"],
    ["csv-utf16.csv", 2, "Łódź 😀"],
    ["mt940-german-sepa.sta", 4, "Anna Müller"],
  ])("is read in its own encoding: %s", async (name, read_count, text) => {
    const { id } = await createSource(team);
    expect(await imported(team, id, sample(name))).toMatchObject({ status: "done", read_count });
    expect(JSON.stringify(await linesOf(team, { source_id: id }))).toContain(text);
  });

  test("sent again adds nothing, and an overlapping one adds only new lines", async () => {
    const { id } = await createSource(team);
    const twins = HEADER + row(25, "2,80") + row(25, "2,80");
    expect(await imported(team, id, twins)).toMatchObject({ accepted_count: 2 });
    expect(await imported(team, id, twins)).toMatchObject({
      accepted_count: 0,
      duplicate_count: 2,
    });
    expect(await imported(team, id, twins + row(25, "2,80") + row(26, "4,00"))).toMatchObject({
      accepted_count: 2,
      duplicate_count: 2,
    });
    expect(await amounts(id)).toEqual([280, 280, 280, 400]);
  });

  test("sent twice concurrently is stored once", async () => {
    const { id } = await createSource(team);
    const both = await Promise.all([
      imported(team, id, rows(2_000)),
      imported(team, id, rows(2_000)),
    ]);
    expect(both.map(({ status }) => status)).toEqual(["done", "done"]);
    expect(both.reduce((sum, { accepted_count }) => sum + accepted_count, 0)).toBe(2_000);
    expect(await sourceOf(team, id)).toMatchObject({ line_count: 2_000 });
  });

  test("shares lines with calls: neither adds a line that the other has added", async () => {
    const { id } = await createSource(team);
    const line = {
      amount: "99.95",
      value_date: "2026-10-27",
      counterparty: "Kunde 17 GmbH",
      description: "RG-4711",
    };
    await added(team, id, [line]);
    expect(await imported(team, id, CSV)).toMatchObject({ accepted_count: 2, duplicate_count: 1 });
    expect(await added(team, id, [line])).toMatchObject({ accepted_count: 0, duplicate_count: 1 });
  });

  test("imports valid lines, and reports place, error and expected form of others", async () => {
    const { id } = await createSource(team);
    const done = await imported(team, id, `${CSV}${row(28, "zwölf")}31.02.2026;X;Y;1,00\n`);
    expect(done).toMatchObject({ read_count: 3, accepted_count: 3, refused_count: 2 });
    expect(done.refusals).toEqual([
      { line: 5, field: "amount", message: expect.stringMatching(/Found "zwölf", expected /) },
      {
        line: 6,
        field: "value_date",
        message: expect.stringMatching(/Found "31.02.2026", expected /),
      },
    ]);
  });

  test("rejects a line whose identifier another line has with another amount", async () => {
    const { id } = await createSource(team);
    const line = (amount: string) =>
      `${JSON.stringify({ external_id: "t1", amount, value_date: "2026-10-05" })}\n`;
    const done = await imported(team, id, line("1.00") + line("1.00") + line("2.00"));
    expect(done).toMatchObject({
      format: "ndjson",
      accepted_count: 1,
      duplicate_count: 1,
      refused_count: 1,
    });
    expect(done.refusals).toMatchObject([
      {
        line: 3,
        field: "external_id",
        message: expect.stringContaining('Found "200 EUR", expected 100 EUR'),
      },
    ]);
  });

  test("sent again with its key is one import; another file is refused", async () => {
    const { id } = await createSource(team);
    const headers = { "Idempotency-Key": "october" };
    const [first, again] = [
      await sendFile(team, id, CSV, { headers }),
      await sendFile(team, id, CSV, { headers }),
    ];
    expect([again.status, again.headers.get("Idempotency-Replayed"), again.json]).toEqual([
      202,
      "true",
      first.json,
    ]);
    expect((await sendFile(team, id, rows(3), { headers })).status).toBe(422);
    expect(
      await sql(
        "select from imports i join sources s using (tenant_id, source_no) where s.id = $1",
        [id],
      ),
    ).toHaveLength(1);
  });

  test("with a missing end fails completely, and says so", async () => {
    const { id } = await createSource(team);
    const whole = sample("camt053-v08-batches.xml");
    const failed = await imported(team, id, whole.slice(0, whole.length - 200));
    expect(failed).toMatchObject({
      status: "failed",
      accepted_count: 0,
      failure: expect.any(String),
    });
    expect(await linesOf(team, { source_id: id })).toEqual([]);
    expect(await chunksOf(failed.id)).toEqual([]);
    expect(await imported(team, id, whole)).toMatchObject({ status: "done" });
  });
});

describe("a file is refused before any of it is stored", () => {
  test.each([
    ["of an unknown format", "%PDF-1.7\n1 0 obj", undefined, "This is a PDF"],
    ["that is empty", "", undefined, ""],
    [
      "whose dates can be read two ways",
      HEADER + row(3, "1,00").replace(/\./g, "/") + row(4, "2,00").replace(/\./g, "/"),
      undefined,
      "more than one day",
    ],
    [
      "whose XML has a document type",
      '<!DOCTYPE x [<!ENTITY a "b">]><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"/>',
      undefined,
      "document type",
    ],
  ])("%s", async (_what, file, query, words) => {
    const { status, text } = await sendFile(team, source.id, file, { query });
    expect([status, text]).toEqual([400, expect.stringContaining(words)]);
    expect(
      await sql(
        "select from imports i join sources s using (tenant_id, source_no) where s.id = $1",
        [source.id],
      ),
    ).toEqual([]);
  });

  test("until its question is answered by the source's mapping, or the call's", async () => {
    const { id } = await createSource(team);
    const file = "Date;Text;Amount\n03/04/2026;A;1.00\n04/05/2026;B;2.00\n";
    const refused = await sendFile(team, id, file);
    expect([refused.status, errorsOf(refused.json)[0]?.path]).toEqual([400, "mapping.date_format"]);
    const mapping = {
      fields: { value_date: "Date", amount: "Amount", description: "Text" },
      date_format: "DD/MM/YYYY",
    };
    expect(
      await imported(team, id, file, { query: { mapping: JSON.stringify(mapping) } }),
    ).toMatchObject({ accepted_count: 2 });
    await api("PATCH", `/v1/sources/${id}`, {
      bearer: team.admin,
      tenant: team.tenant,
      body: { mapping },
    });
    expect(await imported(team, id, file)).toMatchObject({ accepted_count: 0, duplicate_count: 2 });
    expect((await linesOf(team, { source_id: id })).map(({ value_date }) => value_date)).toEqual([
      "2026-05-04",
      "2026-04-03",
    ]);
  });
});

test("a payment processor's file is read by gross and fee, in each notation of fees", async () => {
  const { id } = await createSource(team, { kind: "processor" });
  const file =
    "Date,Gross,Fee,Net,Payout\n2026-10-05,100.00,-2.90,97.10,po_1\n2026-10-06,-40.00,-15.00,-55.00,po_1\n2026-10-07,8.00,,8.00,po_1\n";
  const fields = { value_date: "Date", amount: "Gross", fee: "Fee", group_key: "Payout" };
  const query = { mapping: JSON.stringify({ fields, fee_sign: "minus" }) };
  const { json } = await sendFile(team, id, file, { query: { ...query, preview: "true" } });
  const seen = (json as ImportPreview).lines.map(({ amount_minor, fee_minor }) => [
    amount_minor,
    fee_minor,
  ]);
  expect(seen).toEqual([
    [10_000, 290],
    [-4000, 1500],
    [800, null],
  ]);
  expect(await imported(team, id, file, { query })).toMatchObject({
    accepted_count: 3,
    refused_count: 0,
  });
  const stored = await linesOf(team, { source_id: id });
  expect(stored.map(({ amount_minor, fee_minor }) => [amount_minor, fee_minor]).reverse()).toEqual(
    seen,
  );
});

describe("a preview", () => {
  const preview = async (id: string, file: string, query: Record<string, string> = {}) => {
    const { status, json, text } = await sendFile(team, id, file, {
      query: { preview: "true", ...query },
    });
    expect(status, text).toBe(200);
    return json as ImportPreview;
  };

  test("shows what the import would do, and stores nothing", async () => {
    const { id } = await createSource(team);
    await added(team, id, [
      {
        amount: "99.95",
        value_date: "2026-10-27",
        counterparty: "Kunde 17 GmbH",
        description: "RG-4711",
      },
    ]);
    const seen = await preview(id, CSV + row(28, "zwölf"));
    expect(seen).toMatchObject({
      format: "csv",
      read_count: 3,
      refused_count: 1,
      duplicate_count: 1,
      checked_count: 3,
      complete: true,
      questions: [],
    });
    expect(seen.mapping?.fields).toMatchObject({ value_date: "Valuta", amount: "Betrag" });
    expect(seen.lines.map(({ amount_minor, duplicate }) => [amount_minor, duplicate])).toEqual([
      [125_000, false],
      [-1250, false],
      [9995, true],
    ]);
    expect(await linesOf(team, { source_id: id })).toHaveLength(1);
    expect(
      await sql("select from imports where tenant_id = $1 and status = 'receiving'", [team.tenant]),
    ).toEqual([]);
  });

  test("asks about ambiguities, with the effect of each answer", async () => {
    const { id } = await createSource(team);
    const file = "Date;Text;Amount\n03/04/2026;A;1.00\n";
    const { questions, lines, columns } = await preview(id, file);
    expect(lines).toEqual([]);
    expect(columns?.map(({ name }) => name)).toEqual(["Date", "Text", "Amount"]);
    expect(questions).toMatchObject([
      {
        about: "date_format",
        choices: expect.arrayContaining([{ value: "DD/MM/YYYY", reads_as: "2026-04-03" }]),
      },
    ]);
    const mapping = JSON.stringify({
      fields: { value_date: "Date", amount: "Amount" },
      date_format: "MM/DD/YYYY",
    });
    expect((await preview(id, file, { mapping })).lines).toMatchObject([
      { value_date: "2026-03-04", amount_minor: 100 },
    ]);
  });

  test.runIf(WHOLE)("reads the first MiB of a long file", async () => {
    const { id } = await createSource(team);
    const seen = await preview(id, rows(60_000));
    expect(seen).toMatchObject({ complete: false, balance_holds: null, lines: expect.any(Array) });
    expect(seen.bytes_read).toBeLessThanOrEqual(1024 ** 2);
  });
});

describe("undoing an import", () => {
  test("removes its own lines only", async () => {
    const { id } = await createSource(team);
    const first = await imported(team, id, CSV);
    const second = await imported(team, id, CSV + row(28, "7,77"));
    await added(team, id, [{ amount: "1.00", value_date: "2026-10-01" }]);
    expect((await undo(team, second.id)).json).toMatchObject({
      status: "undone",
      undone_by: "user:ada",
    });
    expect(await amounts(id)).toEqual([-1250, 100, 9995, 125_000]);
    expect(await sourceOf(team, id)).toMatchObject({ line_count: 4 });
    expect((await undo(team, second.id)).status).toBe(409);
    expect((await undo(team, first.id)).json).toMatchObject({ status: "undone" });
    expect(await imported(team, id, CSV)).toMatchObject({ accepted_count: 3 });
  });

  test.runIf(WHOLE)("with more than 20,000 lines runs in the background", async () => {
    const { id } = await createSource(team);
    const { id: done } = await imported(team, id, rows(20_500));
    expect((await undo(team, done)).json).toMatchObject({ status: "undoing" });
    await importIn(team, done, ["undone"]);
    expect(await sourceOf(team, id)).toMatchObject({ line_count: 0 });
    expect(await linesOf(team, { source_id: id })).toEqual([]);
  });

  test.runIf(WHOLE)("during reading cancels it, and stores nothing", async () => {
    const { id } = await createSource(team);
    const { json } = await sendFile(team, id, rows(200_000));
    const { id: started } = json as Import;
    await importIn(team, started, ["reading"]);
    expect((await undo(team, started)).json).toMatchObject({ status: "undone" });
    // The next file of the source can only be read once this one is released.
    expect(await imported(team, id, CSV)).toMatchObject({ status: "done", accepted_count: 3 });
    expect(await amounts(id)).toEqual([-1250, 9995, 125_000]);
    expect(await importOf(team, started)).toMatchObject({ status: "undone", accepted_count: 0 });
  });
});
