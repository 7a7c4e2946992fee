import { beforeAll, describe, expect, test } from "vitest";
import { api, createTenant, uniqueName, userToken } from "#e2e/fixtures.ts";
import { expectProblem } from "../contracts/conformance.ts";

let tenant: string;
let bearer: string;
beforeAll(async () => {
  tenant = await createTenant();
  bearer = await userToken(tenant, ["tenant_admin"]);
});

const call = (
  method: string,
  path: string,
  body?: string | object,
  headers: Record<string, string> = {},
) => api(method, path, { bearer, tenant, body, headers });
const record = (json: string) =>
  call("POST", "/v1/integrations", json, { "Idempotency-Key": uniqueName("k") });
const exception = (fields: object) =>
  call("POST", "/v1/exceptions", { title: "T", severity: "low", ...fields });
const placesOf = ({ json }: { json: unknown }) =>
  (json as { errors: { path: string }[] }).errors.map(({ path }) => path);

describe("a number is stored exactly, or refused with its path", () => {
  test("in a record, in details and in a change of either", async () => {
    const big = '{"name":"n","amounts":[1,9007199254740993]}';
    const answers = [
      await record(big),
      await call(
        "POST",
        "/v1/exceptions",
        '{"title":"T","severity":"low","details":{"amounts":[1,0.1000000000000000055]}}',
      ),
    ];
    const { id } = (await record('{"name":"n"}')).json as { id: string };
    answers.push(
      await call("PATCH", `/v1/integrations/${id}`, '{"amounts":[1,12345678901234567890]}'),
    );
    for (const answer of answers) expectProblem(answer, "invalid_request");
    expect(answers.map(placesOf)).toEqual([["amounts.1"], ["details.amounts.1"], ["amounts.1"]]);
  });

  test("two numbers that are equal as doubles never replay each other", async () => {
    const headers = { "Idempotency-Key": uniqueName("k") };
    const first = await call("POST", "/v1/integrations", '{"n":9007199254740991}', headers);
    expect(first.status).toBe(201);
    for (const n of ["9007199254740992", "9007199254740993"]) {
      expect((await call("POST", "/v1/integrations", `{"n":${n}}`, headers)).status).toBe(400);
    }
    expect(first.text).toContain('"n":9007199254740991');
  });

  test("a number that fits a double is returned as sent", async () => {
    const { json } = await record(
      '{"a":0.1,"b":1.10,"c":-9007199254740991,"d":1e-7,"e":123456.789012}',
    );
    expect(json).toMatchObject({ a: 0.1, b: 1.1, c: -9007199254740991, d: 1e-7, e: 123456.789012 });
  });

  test("in an imported file, line by line", async () => {
    const file =
      '{"title":"A","severity":"low","details":{"n":9007199254740993}}\n{"title":"B","severity":"low"}\n';
    const answer = await call("POST", "/v1/exceptions/import", file, {
      "Content-Type": "application/x-ndjson",
    });
    expect(answer.json).toMatchObject({
      accepted: 1,
      refused: 1,
      errors: [{ line: 1, message: expect.stringContaining("would lose precision") }],
    });
  });
});

describe("a body has one meaning", () => {
  test.each([
    ['{"name":"a","name":"b"}', "name"],
    ['{"config":{"a":1,"\\u0061":2}}', "config.a"],
    ['{"config":{"__proto__":1}}', "config.__proto__"],
  ])("%s is refused", async (json, path) => {
    const answer = await record(json);
    expectProblem(answer, "invalid_request");
    expect(placesOf(answer)).toEqual([path]);
  });

  test("20,000 values are accepted, and no more", async () => {
    const of = (count: number) => `{"n":[${Array.from({ length: count }, () => "0").join(",")}]}`;
    expect((await record(of(19_998))).status).toBe(201);
    expectProblem(await record(of(19_999)), "invalid_request");
  });
});

describe("text is normalized, and invisible text is refused", () => {
  test("NFC and NFD of one name are one, in names, assignees and searches", async () => {
    const created = await exception({ title: "Cafe\u0301 payout", assigned_to: "user:rene\u0301" });
    expect(created.json).toMatchObject({
      title: "Caf\u00e9 payout",
      assigned_to: "user:ren\u00e9",
    });
    for (const query of [
      { q: "caf\u00e9" },
      { q: "cafe\u0301" },
      { assigned_to: "user:ren\u00e9" },
      { assigned_to: "user:rene\u0301" },
    ]) {
      const found = await api("GET", "/v1/exceptions", {
        bearer,
        tenant,
        query: Object.entries(query),
      });
      expect((found.json as { items: unknown[] }).items, JSON.stringify(query)).toHaveLength(1);
    }
  });

  test("NFC and NFD of one operation are one, in records and their lists", async () => {
    const record = await api("POST", "/v1/integrations", {
      bearer,
      tenant,
      body: { idempotencyKey: uniqueName("nfd"), operation: "Cafe\u0301" },
    });
    expect(record.json).toMatchObject({ operation: "Caf\u00e9" });
    for (const operation of ["Caf\u00e9", "Cafe\u0301"]) {
      const found = await api("GET", "/v1/integrations", { bearer, tenant, query: { operation } });
      expect((found.json as { items: unknown[] }).items).toHaveLength(1);
    }
  });

  test.each(["\u200b", "\u3164", "\u202e\u202c", "\u2800", "\u{e0020}"])(
    "a title of %j is refused",
    async (title) => {
      const answer = await exception({ title });
      expectProblem(answer, "invalid_request");
      expect(placesOf(answer)).toEqual(["title"]);
    },
  );

  test("money is in a currency of ISO 4217", async () => {
    expect((await exception({ amount_minor: 1, currency: "KWD" })).status).toBe(201);
    for (const currency of ["XYZ", "EURO", "eur", "XXX"])
      expect(placesOf(await exception({ amount_minor: 1, currency }))).toEqual(["currency"]);
  });
});

describe("a time is UTC", () => {
  test.each([
    "2030-01-01T00:00Z",
    "2030-01-01T00:00+00:00",
    "2030-01-01T00:00:00+00:00",
    "2030-01-01T00:00:00.000000Z",
  ])("%s", async (due_at) => {
    expect((await exception({ due_at })).json).toMatchObject({
      due_at: "2030-01-01T00:00:00.000Z",
    });
  });

  test.each(["+02:00", "-00:00", "+0000"])(
    "and 2030-01-01T00:00:00%s is refused with its offset",
    async (offset) => {
      const answer = await exception({ due_at: `2030-01-01T00:00:00${offset}` });
      expect(answer.json).toMatchObject({
        errors: [{ path: "due_at", message: expect.stringContaining(`not in ${offset}`) }],
      });
    },
  );
});
