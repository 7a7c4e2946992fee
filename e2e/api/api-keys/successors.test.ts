import { beforeEach, describe, expect, test } from "vitest";
import { api, createTenant, uniqueName, userToken } from "#e2e/fixtures.ts";
import { expectProblem } from "../contracts/conformance.ts";

type Issued = { id: string; key_id: string; key_secret: string };

let tenant: string;
let admin: string;
beforeEach(async () => {
  tenant = await createTenant();
  admin = await userToken(tenant, ["tenant_admin"]);
});

const keys = () => `/v1/tenants/${tenant}/api-keys`;
const issue = async (path: string, body: object): Promise<Issued> =>
  (await api("POST", path, { bearer: admin, tenant, body })).json as Issued;
const create = (fields: object = {}) =>
  issue(keys(), { name: "Batch", scopes: ["write:exceptions", "read:exceptions"], ...fields });
const rotate = ({ id }: Issued) => issue(`${keys()}/${id}/rotate`, { grace_period_seconds: 3600 });
const write = ({ key_id, key_secret }: Issued, key: string, title = "Payout") =>
  api("POST", "/v1/exceptions", {
    bearer: `${key_id}.${key_secret}`,
    tenant,
    body: { title, severity: "low" },
    headers: { "Idempotency-Key": key },
  });

describe("a key and its rotated successors are one principal", () => {
  test("a retry with a successor replays, after any number of rotations", async () => {
    const first = await create();
    const key = uniqueName("k");
    const done = await write(first, key);
    expect(done.status).toBe(201);
    const second = await rotate(first);
    const third = await rotate(second);
    for (const successor of [second, third]) {
      const again = await write(successor, key);
      expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([
        201,
        done.text,
        "true",
      ]);
    }
    expectProblem(await write(third, key, "Another"), "idempotency_mismatch");
    const listed = await api("GET", "/v1/exceptions", { bearer: admin, tenant });
    expect((listed.json as { items: unknown[] }).items).toHaveLength(1);
  });

  test("a key of another lineage is another principal", async () => {
    const key = uniqueName("k");
    const [answer, other] = [await write(await create(), key), await write(await create(), key)];
    expect([answer.status, other.status, other.headers.get("idempotency-replayed")]).toEqual([
      201,
      201,
      null,
    ]);
  });
});

test("a key lives up to ten years", async () => {
  const in_ = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const path = keys();
  const ask = (expires_at: string | null) =>
    api("POST", path, {
      bearer: admin,
      tenant,
      body: { name: "K", scopes: ["read:exceptions"], expires_at },
    });
  expect((await ask(in_(3650))).status).toBe(201);
  expect((await ask(null)).status).toBe(201);
  const beyond = await ask(in_(3660));
  expectProblem(beyond, "invalid_request");
  expect(beyond.json).toMatchObject({
    errors: [{ path: "expires_at", message: expect.stringContaining("10 years") }],
  });
});

test("the impact of a change accepts every spelling of an idempotency key", async () => {
  const { id } = await create();
  const ask = (body: object, headers = {}) =>
    api("POST", `${keys()}/${id}/impact`, { bearer: admin, tenant, body, headers });
  const key = uniqueName("k");
  const first = await ask({ revoke: true, idempotency_key: key });
  expect(first.status, first.text).toBe(200);
  for (const again of [
    await ask({ revoke: true, idempotencyKey: key }),
    await ask({ revoke: true }, { "Idempotency-Key": `"${key}"` }),
  ]) {
    expect([again.text, again.headers.get("idempotency-replayed")]).toEqual([first.text, "true"]);
  }
  expectProblem(
    await ask({ scopes: ["read:exceptions"] }, { "Idempotency-Key": key }),
    "idempotency_mismatch",
  );
});
