import { describe, expect, it } from "vitest";
import { codeOf } from "#e2e/api/api-keys/keys.ts";
import { api, uniqueName } from "#e2e/fixtures.ts";
import { tenantWithLead } from "./exceptions.ts";

describe("an import", () => {
  const upload = (
    tenant: string,
    bearer: string,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) =>
    api("POST", "/v1/exceptions/import", {
      bearer,
      tenant,
      body,
      headers: { "Content-Type": type, ...headers },
    });

  it("creates the valid lines of NDJSON, and reports the others by number and reason", async () => {
    const { tenant, lead, board } = await tenantWithLead();
    const lines = [
      '{"title":"One","severity":"high"}',
      "not json",
      "",
      '{"title":"Two","severity":"urgent"}',
      '{"title":"Three","severity":"low","amount_minor":5,"currency":"EUR","details":{"a":1}}',
      '{"title":"Four","severity":"low","reconciliation_id":"rcn_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"}',
      '{"title":"Nul\\u0000","severity":"low"}',
      '["no object"]',
      '{"title":"Five","severity":"low","amount_minor":5}',
      '{"title":"Six","severity":"low","currency":"EUR","amount_minor":null}',
    ];
    const answer = await upload(tenant, lead, "application/x-ndjson", lines.join("\r\n"));
    const report = answer.json as { errors: { line: number }[] };
    expect(answer.json).toMatchObject({ accepted: 2, refused: 7 });
    expect(report.errors.map(({ line }) => line).sort()).toEqual([10, 2, 4, 6, 7, 8, 9]);
    expect((await board()).items.map(({ title }) => title).sort()).toEqual(["One", "Three"]);
  });

  it("reads CSV with quotes, blank cells and a byte order mark", async () => {
    const { tenant, lead, board } = await tenantWithLead();
    const csv =
      '\uFEFFtitle,severity,assigned_to,amount_minor,currency,details\n"A ""quoted"", title",high,,1200,EUR,"{""k"": [1]}"\nShort,low\nB,low,user:ana,,,\nC,low,user:ana,x,EUR,\n';
    const answer = await upload(tenant, lead, "text/csv; charset=utf-8", csv);
    expect(answer.json).toMatchObject({ accepted: 2, refused: 2 });
    const { items } = await board();
    expect(items).toContainEqual(
      expect.objectContaining({
        title: 'A "quoted", title',
        amount_minor: 1200,
        details: { k: [1] },
        assigned_to: null,
      }),
    );
  });

  it("keeps a line of NDJSON whole, whatever separators its texts contain", async () => {
    const { tenant, lead, board } = await tenantWithLead();
    const titles = ["A\u2028B", "C\u2029D", "E\u0085F"];
    const lines = titles.map((title) => JSON.stringify({ title, severity: "low" }));
    const answer = await upload(
      tenant,
      lead,
      "application/x-ndjson",
      `\uFEFF${lines.join("\n")}\n`,
    );
    expect(answer.json).toEqual({ accepted: 3, refused: 0, errors: [] });
    expect((await board()).items.map(({ title }) => title).sort()).toEqual([...titles].sort());
  });

  it.each([
    ["text/csv", "title,severity\nM\xfcller,low\nMeier,low\n"],
    [
      "application/x-ndjson",
      '{"title":"M\xfcller","severity":"low"}\n{"title":"Meier","severity":"low"}\n',
    ],
  ])("of %s rejects bytes that aren't UTF-8", async (type, file) => {
    const { tenant, lead, board } = await tenantWithLead();
    const answer = await upload(tenant, lead, type, new Uint8Array(Buffer.from(file, "latin1")));
    expect(answer.json).toMatchObject({
      accepted: 1,
      refused: 1,
      errors: [{ message: expect.stringContaining("UTF-8") }],
    });
    expect((await board()).items.map(({ title }) => title)).toEqual(["Meier"]);
  });

  it("refuses a header that names a column twice: one would be lost", async () => {
    const { tenant, lead, board } = await tenantWithLead();
    const answer = await upload(tenant, lead, "text/csv", "title,title,severity\nA,B,low\n");
    expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
    expect((await board()).items).toEqual([]);
  });

  it("creates nothing twice when sent again with its idempotency key", async () => {
    const { tenant, lead, board } = await tenantWithLead();
    const file = Array.from({ length: 1500 }, (_, index) =>
      JSON.stringify({ title: `T${index}`, severity: "low" }),
    ).join("\n");
    const headers = { "Idempotency-Key": uniqueName("import") };
    const first = await upload(tenant, lead, "application/x-ndjson", file, headers);
    const second = await upload(tenant, lead, "application/x-ndjson", file, headers);
    expect(first.json).toMatchObject({ accepted: 1500, refused: 0 });
    expect(second.json).toEqual(first.json);
    expect((await board()).summary.total_open).toBe(1500);
  });

  // The limit of 100,000 is tested where lines are read: lib/exceptions/import/read-lines.test.ts.
  it("accepts many batches of rows in one file", async () => {
    const { tenant, lead, board } = await tenantWithLead();
    const file = Array.from(
      { length: 20_000 },
      (_, index) => `{"title":"T${index}","severity":"${index === 13_999 ? "none" : "low"}"}`,
    );
    const answer = await upload(tenant, lead, "application/x-ndjson", file.join("\n"));
    expect(answer.json).toMatchObject({ accepted: 19_999, refused: 1, errors: [{ line: 14_000 }] });
    expect((await board()).summary.total_open).toBe(19_999);
  });

  it("refuses other types", async () => {
    const { tenant, lead } = await tenantWithLead();
    expect((await upload(tenant, lead, "application/json", "{}")).status).toBe(415);
  });
});
