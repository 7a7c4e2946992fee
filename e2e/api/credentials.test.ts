import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@supabase/supabase-js";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { api, createTenant, enrol, PASSWORD, signToken, sql, stack } from "#e2e/fixtures.ts";
import { signIn } from "#e2e/sign-in.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import type { Role } from "#lib/wire/access.ts";
import { handMade, inMinutes } from "./hand-made-token.ts";

let tenant: string;
let claims: Record<string, unknown>;

beforeAll(async () => {
  tenant = await createTenant();
  claims = { sub: "ada", preferred_username: "ada", tenants: { [tenant]: ["tenant_admin"] } };
});

const statusOf = async (bearer: string) => (await api("GET", "/v1/me", { bearer, tenant })).status;

describe("a JWT signed with HS256", () => {
  it("is accepted with the right secret and an expiry", async () => {
    expect(await statusOf(await signToken(claims))).toBe(200);
  });

  it("is refused with alg none", async () => {
    expect(await statusOf(new UnsecuredJWT(claims).setExpirationTime("1h").encode())).toBe(401);
  });

  it("is refused without exp, expired, before nbf, and with another secret", async () => {
    expect(await statusOf(await handMade({}, claims))).toBe(401);
    expect(await statusOf(await handMade({}, { ...claims, exp: inMinutes(-1) }))).toBe(401);
    expect(
      await statusOf(await handMade({}, { ...claims, exp: inMinutes(9), nbf: inMinutes(5) })),
    ).toBe(401);
    expect(
      await statusOf(
        await signToken(claims, { secret: "another secret of thirty-two bytes or more" }),
      ),
    ).toBe(401);
  });

  it("is refused if it lasts more than a day or was issued in the future", async () => {
    const days = (count: number) => inMinutes(count * 1440);
    const lives = [
      { exp: 1e99 },
      { exp: Number.MAX_SAFE_INTEGER },
      { exp: days(2) },
      { exp: inMinutes(5), iat: days(-2) },
      { exp: inMinutes(9), iat: inMinutes(5) },
    ];
    for (const life of lives) {
      const answer = await api("GET", "/v1/me", {
        bearer: await handMade({}, { ...claims, ...life }),
        tenant,
      });
      expect(answer).toMatchObject({
        status: 401,
        json: { detail: expect.stringContaining("at most 86400 s") },
      });
    }
    expect(
      await statusOf(await handMade({}, { ...claims, exp: days(1) - 60, iat: inMinutes(-1) })),
    ).toBe(200);
  });

  it("rejects an issuer that has its own keys", async () => {
    for (const iss of [`${stack.supabaseUrl}/auth/v1`, process.env.OIDC_CORP_ISSUER]) {
      expect(await statusOf(await handMade({}, { ...claims, iss, exp: inMinutes(5) }))).toBe(401);
    }
    expect(
      await statusOf(
        await handMade({}, { ...claims, iss: "https://own.example", exp: inMinutes(5) }),
      ),
    ).toBe(200);
  });

  it("never makes the server fetch a key that its header names (jwk, jku, x5u, kid)", async () => {
    const requests: string[] = [];
    const canary = createServer((request, response) => {
      requests.push(request.url ?? "");
      response.end("{}");
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
    const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    const forged = (header: object) =>
      new SignJWT({ ...claims, exp: inMinutes(5) })
        .setProtectedHeader({ alg: "RS256", ...header })
        .sign(privateKey);
    expect(await statusOf(await forged({ jwk }))).toBe(401);
    expect(await statusOf(await forged({ jku: `${url}/jwks` }))).toBe(401);
    expect(await statusOf(await forged({ x5u: `${url}/cert` }))).toBe(401);
    for (const kid of ["../../../dev/null", "' or 1=1 --", "x".repeat(7000)]) {
      expect(
        await statusOf(
          await handMade(
            { kid },
            { ...claims, exp: inMinutes(5) },
            "a guess that is long enough for HS256 to take",
          ),
        ),
      ).toBe(401);
    }
    canary.close();
    expect(requests).toEqual([]);
  });

  it("is refused if the server signed it for its own database client", async () => {
    const internal = {
      ...claims,
      role: "authenticated",
      tenant_id: tenant,
      principal_type: "user",
      roles: ["tenant_admin"],
      iss: "tieout-internal",
      exp: inMinutes(5),
    };
    expect(await statusOf(await handMade({}, internal, stack.supabaseJwtSecret))).toBe(401);
    expect(await statusOf(await handMade({}, internal))).toBe(401);
    expect(
      await statusOf(await handMade({}, { ...internal, iss: undefined }, stack.supabaseJwtSecret)),
    ).toBe(401);
  });

  it.each([
    ["a string", (own: string) => own],
    ["a prefix", (own: string) => [own.slice(0, -1)]],
    ["an object of strings", (own: string) => ({ [own]: "tenant_admin" })],
    ["an object in an array", (own: string) => [{ id: own }]],
    ["a number", () => 7],
    ["nothing", () => undefined],
  ])("grants no tenant if the claim is %s", async (_what, tenants) => {
    expect(await statusOf(await signToken({ sub: "ada", tenants: tenants(tenant) }))).toBe(403);
  });

  it.each([
    ["a NUL character", "a\0b"],
    ["a lone surrogate", "a\ud800"],
    ["white space alone", "  "],
    ["more than 255 characters", "x".repeat(256)],
    ["a number", 7],
    ["nothing", undefined],
  ])("identifies nobody if sub is %s", async (_what, sub) => {
    expect(await statusOf(await signToken({ ...claims, sub }))).toBe(401);
  });

  it.each([
    ["a NUL character", "a\0b", "a\uFFFDb"],
    ["a lone surrogate", "a\ud800", "a\uFFFD"],
    [
      "a character on both sides of the 120th place",
      `${"x".repeat(119)}\u{1F511}\u{1F511}`,
      `${"x".repeat(119)}\u{1F511}`,
    ],
    ["white space alone", " \n ", "ada"],
  ])("may name its user by %s without failing", async (_what, preferred_username, name) => {
    const bearer = await signToken({ ...claims, email: "ada@acme.example", preferred_username });
    const created = await api("POST", "/v1/exceptions", {
      bearer,
      tenant,
      body: { title: "By a strange name", severity: "low" },
    });
    expect(created.json).toMatchObject({ created_by: `user:${name}` });
  });

  it("reads tenants as an array next to roles, and never in user_metadata", async () => {
    const asArray = { tenants: [tenant], roles: ["tenant_admin"] };
    const roles = async (payload: object) => {
      const answer = await api("GET", "/v1/me", {
        bearer: await signToken({ sub: "ada", ...payload }),
        tenant,
      });
      return answer.status === 200
        ? (answer.json as { principal: { roles: string[] } }).principal.roles
        : answer.status;
    };
    expect(await roles(asArray)).toEqual(["tenant_admin"]);
    expect(await roles({ app_metadata: asArray })).toEqual(["tenant_admin"]);
    expect(await roles({ user_metadata: asArray })).toBe(403);
    expect(await roles({ tenants: [tenant], user_metadata: { roles: ["tenant_admin"] } })).toEqual(
      [],
    );
  });

  it("names its user by preferred_username, else the local part of email, else sub", async () => {
    const name = async (payload: Record<string, unknown>) =>
      (
        (
          await api("GET", "/v1/me", {
            bearer: await signToken({ ...claims, preferred_username: undefined, ...payload }),
            tenant,
          })
        ).json as { principal: { name: string } }
      ).principal.name;
    expect(await name({ preferred_username: "countess", email: "ada@acme.example" })).toBe(
      "countess",
    );
    expect(await name({ email: "ada@acme.example" })).toBe("ada");
    expect(await name({ sub: "auth0|17" })).toBe("auth0|17");
  });
});

describe("a token of Supabase Auth", () => {
  it("is accepted with app_metadata's tenants, and opens nothing at the Data API", async () => {
    const supabase = createClient(stack.supabaseUrl, stack.publishableKey, {
      auth: { persistSession: false },
    });
    const { data } = await supabase.auth.signInWithPassword({
      email: "leo@acme.example",
      password: "tieout-demo",
    });
    const answer = await api("GET", "/v1/me", {
      bearer: data.session?.access_token,
      tenant: "acme",
    });
    expect(answer.json).toMatchObject({
      principal: { type: "user", name: "leo", roles: ["tenant_lead"] },
    });
    expect(
      (await api("GET", "/v1/me", { bearer: data.session?.access_token, tenant: "globex" })).status,
    ).toBe(403);
    expect((await supabase.from("exceptions").select("id")).data).toEqual([]);
    expect((await supabase.from("tenants").select("id")).data).toEqual([]);
  });
});

describe("a user who may no longer sign in at Supabase Auth", () => {
  const ways = {
    banned: "update auth.users set banned_until = now() + interval '1 day' where id = $1",
    removed: "delete from auth.users where id = $1",
  };

  it.each(Object.entries(ways))(
    "%s: their token is refused within the configured time, long before it expires",
    async (way, statement) => {
      const { id, bearer } = await tokenOf({ [tenant]: ["tenant_lead"] });
      expect(await statusOf(bearer)).toBe(200);
      if (way === "removed") await sql("delete from auth.identities where user_id = $1", [id]);
      await sql(statement, [id]);
      await vi.waitUntil(async () => (await statusOf(bearer)) === 401, { timeout: 90_000 });
    },
  );

  it("has its current roles, not those in the token", async () => {
    const { id, bearer } = await tokenOf({ [tenant]: ["tenant_lead"] });
    await sql("update auth.users set raw_app_meta_data = '{}' where id = $1", [id]);
    await vi.waitUntil(async () => (await statusOf(bearer)) === 403, { timeout: 90_000 });
  });

  async function tokenOf(tenants: Record<string, Role[]>) {
    const { id, email } = await enrol(tenants);
    const supabase = createClient(stack.supabaseUrl, stack.publishableKey, {
      auth: { persistSession: false },
    });
    const { data } = await supabase.auth.signInWithPassword({ email, password: PASSWORD });
    return { id, bearer: data.session?.access_token ?? "" };
  }
});

describe("a web process that asks for a second factor", () => {
  let web: WebProcess;
  beforeAll(async () => {
    web = await startWebProcess({ AUTH_REQUIRED_AAL: "aal2" });
  });
  afterAll(() => web?.stop());

  it("accepts tokens with a second factor, and tells others what they lack (RFC 9470)", async () => {
    const call = async (level: object) =>
      fetch(`${web.url}/v1/me`, {
        headers: {
          Authorization: `Bearer ${await handMade({}, { ...claims, exp: inMinutes(5), ...level })}`,
          "X-Tenant-Id": tenant,
        },
      });
    for (const level of [{ aal: "aal2" }, { amr: ["pwd", "mfa"] }])
      expect((await call(level)).status).toBe(200);
    for (const level of [
      {},
      { aal: "aal1" },
      { aal: "aal1", amr: ["mfa"] },
      { amr: [{ method: "totp" }] },
      { aal: 2 },
      { amr: "mfa" },
    ]) {
      const answer = await call(level);
      expect({ status: answer.status, challenge: answer.headers.get("www-authenticate") }).toEqual({
        status: 401,
        challenge:
          'Bearer realm="tieout", error="insufficient_user_authentication", acr_values="aal2"',
      });
    }
  });

  it("refuses sign-in without a second factor, and ends earlier sessions", async () => {
    const refused = await signIn("ada@acme.example", PASSWORD, web.url);
    expect(refused.way).toContain("error=SecondFactorRequired");
    expect(refused.cookies).not.toContain("tieout.session=");
    const { cookies } = await signIn("ada@acme.example");
    const me = (url: string) =>
      fetch(`${url}/v1/me`, {
        headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin", "X-Tenant-Id": "acme" },
      });
    expect([(await me(stack.url)).status, (await me(web.url)).status]).toEqual([200, 401]);
  });
});

describe("Supabase's keys", () => {
  it("allow the publishable key only to read its identity", async () => {
    expect(
      (await api("GET", "/v1/me", { bearer: stack.publishableKey, tenant })).json,
    ).toMatchObject({
      principal: { type: "publishable_key" },
    });
    for (const path of ["/v1/exceptions", "/v1/exceptions/sla", "/v1/reconciliations"]) {
      expect((await api("GET", path, { bearer: stack.publishableKey, tenant })).status).toBe(403);
    }
  });

  it("write one security event with its reason for each service-role call", async () => {
    const own = await createTenant();
    const call = (method: string, path: string, body?: object) =>
      api(method, path, {
        bearer: stack.secretKey,
        tenant: own,
        body,
        headers: { "X-Audit-Reason": "Ticket 4711" },
      });
    const created = await call("POST", "/v1/exceptions", {
      title: "By the service",
      severity: "low",
    });
    expect(created.status).toBe(201);
    await call("GET", "/v1/exceptions/sla");
    await call("GET", "/v1/me");
    const events = await sql<{ operation: string; reason: string; actor: string }>(
      `select operation, reason, actor from public.security_events where tenant_id = $1
       order by id`,
      [own],
    );
    expect(events).toEqual(
      ["createException", "listSlaExceptions", "getMe"].map((operation) => ({
        operation,
        reason: "Ticket 4711",
        actor: "service_role",
      })),
    );
  });

  it("do not open a tenant that does not exist", async () => {
    expect(
      (await api("GET", "/v1/me", { bearer: stack.secretKey, tenant: "no-such-tenant" })).status,
    ).toBe(403);
  });
});

describe("the header", () => {
  it("sent twice is refused: Authorization with 401, X-Tenant-Id with 400", async () => {
    const bearer = await signToken(claims);
    expect(
      await raw([
        "Authorization",
        `Bearer ${bearer}`,
        "Authorization",
        `Bearer ${bearer}`,
        "X-Tenant-Id",
        tenant,
      ]),
    ).toBe(401);
    expect(
      await raw([
        "Authorization",
        `Bearer ${bearer}`,
        "X-Tenant-Id",
        tenant,
        "X-Tenant-Id",
        tenant,
      ]),
    ).toBe(400);
  });

  it("never causes a 500, however malformed it is", async () => {
    for (const value of [
      "",
      "Bearer",
      "Bearer ",
      "Basic YTpi",
      "Bearer a b",
      "Bearer %00%ff",
      `Bearer ${"a".repeat(10_000)}`,
      "Bearer a.b.c",
      "Bearer ..",
      `Bearer ${"a.".repeat(50)}`,
    ]) {
      expect(await raw(["Authorization", value, "X-Tenant-Id", tenant])).toBe(401);
    }
  });
});

function raw(headers: string[]): Promise<number> {
  const { hostname, port } = new URL(stack.url);
  return new Promise((resolve, reject) => {
    httpRequest(
      { hostname, port, path: "/v1/me", headers: ["Host", `${hostname}:${port}`, ...headers] },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    )
      .on("error", reject)
      .end();
  });
}
