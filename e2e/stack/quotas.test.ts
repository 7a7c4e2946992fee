import { SignJWT } from "jose";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { Supervisor, stackOf } from "./supervisor.ts";

const dataDir = freshDataDir();
const KINDS = [
  "API_KEYS",
  "WEBHOOKS",
  "RECONCILIATIONS",
  "SOURCES",
  "RECORDS",
  "EXCEPTIONS",
  "LINES",
];
let stack: Supervisor;
let bearer: string;
let tenant: string;
let created = 0;

beforeAll(async () => {
  stack = await Supervisor.ready({
    DATA_DIR: dataDir,
    ...Object.fromEntries(KINDS.map((kind) => [`QUOTA_${kind}`, "2"])),
  });
});
afterAll(() => stack.end("SIGTERM"));
beforeEach(async () => {
  created += 1;
  tenant = `quota-${created}`;
  await sql("select private.create_tenant($1, $1)", [tenant]);
  bearer = await new SignJWT({ preferred_username: "ada", tenants: { [tenant]: ["tenant_admin"] } })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject("ada")
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(stackOf(dataDir).env.AUTH_JWT_SECRET));
});

async function sql(text: string, values: unknown[]): Promise<void> {
  const client = new Client({ connectionString: stackOf(dataDir).env.DATABASE_URL });
  await client.connect();
  await client.query(text, values).finally(() => client.end());
}

async function call(
  method: string,
  path: string,
  body?: object | string,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(`http://127.0.0.1:${stack.port}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${bearer}`,
      "X-Tenant-Id": tenant,
      "Content-Type": typeof body === "string" ? "application/x-ndjson" : "application/json",
    },
    body: typeof body === "object" ? JSON.stringify(body) : body,
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}
const create = async (path: string, body: object) =>
  (await call("POST", path.replace("{tenant}", tenant), body)).answer;
const refusal = (detail: string) => expect.objectContaining({ code: "conflict", detail });

const SOURCE = { name: "Bank", kind: "bank_statement", currency: "EUR" };
const EXCEPTION = { title: "Payout differs", severity: "low" };
const line = (reference: string) => ({ reference, amount_minor: 1, value_date: "2026-10-05" });

describe("a tenant has at most its quota of a kind, and the refusal names the variable", () => {
  test.each<[what: string, path: string, body: (n: number) => object, variable: string]>([
    [
      "API keys",
      "/v1/tenants/{tenant}/api-keys",
      (n) => ({ name: `Key ${n}`, scopes: ["read:exceptions"] }),
      "API_KEYS",
    ],
    [
      "webhooks",
      "/v1/webhooks",
      () => ({ url: "https://hooks.example.com/", events: ["webhook.test"] }),
      "WEBHOOKS",
    ],
    [
      "reconciliations",
      "/v1/reconciliations",
      (n) => ({
        name: `October ${n}`,
        period_start: "2026-10-01",
        period_end: "2026-10-31",
        left_source: "Bank",
        right_source: "Ledger",
      }),
      "RECONCILIATIONS",
    ],
    ["sources", "/v1/sources", (n) => ({ ...SOURCE, name: `Bank ${n}` }), "SOURCES"],
    [
      "records",
      "/v1/integrations",
      (n) => ({ name: `Bank feed ${n}`, idempotencyKey: `${n}` }),
      "RECORDS",
    ],
    ["exceptions", "/v1/exceptions", () => EXCEPTION, "EXCEPTIONS"],
  ])("%s", async (_, path, body, variable) => {
    for (const n of [1, 2]) expect(await create(path, body(n))).toHaveProperty("id");
    expect(await create(path, body(3))).toEqual(
      refusal(expect.stringMatching(`^A tenant can have at most 2 .*\\(QUOTA_${variable}\\)`)),
    );
  });

  test("concurrent creations never exceed the quota", async () => {
    const keys = Array.from({ length: 12 }, (_, n) =>
      call("POST", `/v1/tenants/${tenant}/api-keys`, {
        name: `Key ${n}`,
        scopes: ["read:exceptions"],
      }),
    );
    expect((await Promise.all(keys)).map(({ status }) => status).sort()).toEqual([
      201,
      201,
      ...Array(10).fill(409),
    ]);
  });

  test("a call or a file over the quota of lines stores nothing", async () => {
    const { id } = await create("/v1/sources", SOURCE);
    expect(
      await create(`/v1/sources/${id}/lines`, { lines: [line("a"), line("b")] }),
    ).toMatchObject({ accepted_count: 2 });
    expect(await create(`/v1/sources/${id}/lines`, { lines: [line("c")] })).toEqual(
      refusal(expect.stringContaining("(QUOTA_LINES)")),
    );

    const { answer: sent } = await call(
      "POST",
      `/v1/sources/${id}/imports`,
      `${JSON.stringify(line("d"))}\n`,
    );
    let file: Record<string, unknown> = {};
    await until("the file is read", async () => {
      file = (await call("GET", `/v1/imports/${sent.id}`)).answer;
      return file.status === "failed" || file.status === "done";
    });
    expect(file).toMatchObject({
      status: "failed",
      accepted_count: 0,
      failure: expect.stringContaining("(QUOTA_LINES)"),
    });
    expect((await call("GET", `/v1/sources/${id}`)).answer).toMatchObject({ line_count: 2 });
  });
});

test("a full quota still allows rotation, and removed items free their places", async () => {
  const path = `/v1/tenants/${tenant}/api-keys`;
  const keys = [1, 2].map(
    async (n) =>
      (await create(path, { name: `Key ${n}`, scopes: ["read:exceptions"] })).id as string,
  );
  const [first, second] = await Promise.all(keys);
  expect((await call("POST", `${path}/${first}/rotate`, { grace_period_seconds: 0 })).status).toBe(
    201,
  );
  expect((await call("DELETE", `${path}/${second}`)).status).toBe(200);
  expect((await call("POST", path, { name: "Key 3", scopes: ["read:exceptions"] })).status).toBe(
    201,
  );

  const exceptions = await Promise.all([1, 2].map(() => create("/v1/exceptions", EXCEPTION)));
  await call("PATCH", `/v1/exceptions/${exceptions[0]?.id}`, {
    status: "resolved",
    resolution: "Booked",
  });
  expect((await call("POST", "/v1/exceptions", EXCEPTION)).status).toBe(201);
});
