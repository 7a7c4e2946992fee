import { Webhook as Verifier } from "standardwebhooks";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Answer,
  api,
  createTenant,
  sql,
  tablesHolding,
  transactionNow,
  uniqueName,
  userToken,
} from "#e2e/fixtures.ts";
import { sign } from "#lib/webhooks/signature.ts";
import { expectProblem } from "../contracts/conformance.ts";

let tenant: string;
let bearer: string;
beforeAll(async () => {
  tenant = await createTenant();
  bearer = await userToken(tenant, ["tenant_admin"]);
});

type Made = { id: string; secret?: string; warning?: string };

const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api(method, path, { bearer, tenant, body, headers });
const register = (fields: object, headers = {}) =>
  call(
    "POST",
    "/v1/webhooks",
    { url: "http://127.0.0.1:9/", events: ["exception.created"], ...fields },
    headers,
  );
const secretOf = (answer: Answer) => {
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json as Made;
};

describe("a webhook's secret is the caller's choice", () => {
  test.each([
    ["8 characters", "12345678"],
    ["256 characters", "x".repeat(256)],
    ["8 characters of 4 bytes each", "🔑".repeat(8)],
    ["white space within", "a       b"],
    ["base64 of 24 bytes", `whsec_${Buffer.alloc(24, 7).toString("base64")}`],
    ["base64 without padding", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
    ["base64url", `whsec_${Buffer.alloc(25, 0xfb).toString("base64url")}`],
    ["base64 of few bytes", "whsec_AA=="],
  ])("%s", async (_what, secret) => {
    const webhook = secretOf(await register({ secret }));
    expect(webhook).not.toHaveProperty("secret");
    const short = secret.startsWith("whsec_")
      ? Buffer.from(secret.slice(6), "base64").length < 24
      : Buffer.byteLength(secret) < 24;
    expect(webhook.warning === undefined).toBe(!short);
  });

  test.each([
    ["7 characters", "1234567"],
    ["257 characters", "x".repeat(257)],
    ["7 characters of 4 bytes each", "🔑".repeat(7)],
    ["white space", " ".repeat(12)],
    ["no base64", "whsec_not base64 at all"],
    ["two alphabets at once", `whsec_${"+/".repeat(20)}-_`],
    ["a length that no bytes have", "whsec_AAAAA"],
    ["nothing behind the prefix", "whsec_"],
  ])("but not %s", async (_what, secret) => {
    const answer = await register({ secret });
    expectProblem(answer, "invalid_request");
    expect(answer.json).toMatchObject({ errors: [{ path: "secret" }] });
  });

  test("in either base64 alphabet signs as every library verifies", () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const message = JSON.stringify({ type: "webhook.test" });
    const at = Math.floor(Date.now() / 1000);
    for (const alphabet of ["base64", "base64url"] as const) {
      const headers = sign("evt_1", at, message, [`whsec_${bytes.toString(alphabet)}`]);
      expect(() => new Verifier(bytes.toString("base64")).verify(message, headers)).not.toThrow();
    }
  });
});

describe("left out, the server makes one", () => {
  test("of 32 random bytes is shown in one response only", async () => {
    const since = await transactionNow();
    const [first, second] = [secretOf(await register({})), secretOf(await register({}))];
    for (const { secret, warning } of [first, second]) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(warning).toBeUndefined();
    }
    expect(first.secret).not.toBe(second.secret);
    expect((await call("GET", `/v1/webhooks/${first.id}`)).text).not.toContain(first.secret);
    expect(
      await tablesHolding([first.secret as string, (first.secret as string).slice(6)], since),
    ).toEqual([]);
  });

  test("and again in the answer of a retry, which the database cannot read", async () => {
    const headers = { "Idempotency-Key": uniqueName("k") };
    const since = await transactionNow();
    const answers = [await register({}, headers), await register({}, headers)];
    expect(answers[1]?.headers.get("idempotency-replayed")).toBe("true");
    expect(answers[1]?.text).toBe(answers[0]?.text);
    const { secret = "" } = secretOf(answers[0] as Answer);
    expect(secret).not.toBe("");
    expect(await tablesHolding([secret, secret.slice(6)], since)).toEqual([]);
    const [row] = await sql<{ answer: object }>(
      "select answer from private.idempotency_keys where tenant_id = $1 and answer ? 'sealed'",
      [tenant],
    );
    expect(row?.answer).not.toHaveProperty("secret");
  });

  test("at a rotation, too", async () => {
    const { id } = secretOf(await register({ secret: "a secret of mine, long enough" }));
    const rotate = (body: object) => call("POST", `/v1/webhooks/${id}/rotate-secret`, body);
    expect(secretOf(await rotate({})).secret).toMatch(/^whsec_/);
    expect(secretOf(await rotate({ secret: "12345678" }))).toMatchObject({
      warning: expect.stringContaining("short"),
    });
    expect(secretOf(await rotate({ secret: "a secret of mine, long enough" }))).not.toHaveProperty(
      "secret",
    );
  });
});
