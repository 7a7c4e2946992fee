import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@supabase/supabase-js";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { api, createTenant, signToken, sql, stack } from "#e2e/fixtures.ts";
import { handMade, inMinutes } from "./hand-made-token.ts";

let tenant: string;
let claims: Record<string, unknown>;

beforeAll(async () => {
  tenant = await createTenant();
  claims = { sub: "ada", preferred_username: "ada", tenants: { [tenant]: ["tenant_admin"] } };
});

const statusOf = async (bearer: string) => (await api("GET", "/v1/me", { bearer, tenant })).status;

describe("a JWT signed with HS256", () => {
  it("is believed with the right secret and an expiry", async () => {
    expect(await statusOf(await signToken(claims))).toBe(200);
  });

  it("is refused with alg none", async () => {
    expect(await statusOf(new UnsecuredJWT(claims).setExpirationTime("1h").encode())).toBe(401);
  });

  it("is refused without exp, expired, before nbf, and with another secret", async () => {
    expect(await statusOf(await handMade({}, claims))).toBe(401);
    expect(await statusOf(await handMade({}, { ...claims, exp: inMinutes(-1) }))).toBe(401);
    expect(await statusOf(await handMade({}, { ...claims, exp: inMinutes(9), nbf: inMinutes(5) }))).toBe(401);
    expect(await statusOf(await signToken(claims, { secret: "another secret of thirty-two bytes or more" }))).toBe(401);
  });

  it("is not led by its header: jwk, jku, x5u and kid fetch and read nothing", async () => {
    const asked: string[] = [];
    const canary = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("{}");
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
    const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    const forged = (header: object) =>
      new SignJWT({ ...claims, exp: inMinutes(5) }).setProtectedHeader({ alg: "RS256", ...header }).sign(privateKey);
    expect(await statusOf(await forged({ jwk }))).toBe(401);
    expect(await statusOf(await forged({ jku: `${url}/jwks` }))).toBe(401);
    expect(await statusOf(await forged({ x5u: `${url}/cert` }))).toBe(401);
    for (const kid of ["../../../dev/null", "' or 1=1 --", "x".repeat(7000)]) {
      expect(
        await statusOf(await handMade({ kid }, { ...claims, exp: inMinutes(5) }, "a guess that is long enough for HS256 to take")),
      ).toBe(401);
    }
    canary.close();
    expect(asked).toEqual([]);
  });

  it("is refused where the server signed it for its own database client, whoever holds the secret", async () => {
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
    expect(await statusOf(await handMade({}, { ...internal, iss: undefined }, stack.supabaseJwtSecret))).toBe(401);
  });

  it.each([
    ["a string", (own: string) => own],
    ["a prefix", (own: string) => [own.slice(0, -1)]],
    ["an object of strings", (own: string) => ({ [own]: "tenant_admin" })],
    ["an object in an array", (own: string) => [{ id: own }]],
    ["a number", () => 7],
    ["nothing", () => undefined],
  ])("gives no tenant where the claim is %s", async (_what, tenants) => {
    expect(await statusOf(await signToken({ sub: "ada", tenants: tenants(tenant) }))).toBe(403);
  });

  it.each([
    ["a NUL character", "a\0b"],
    ["half a character", "a\ud800"],
    ["white space alone", "  "],
    ["more than 255 characters", "x".repeat(256)],
    ["a number", 7],
    ["nothing", undefined],
  ])("is nobody's where sub is %s", async (_what, sub) => {
    expect(await statusOf(await signToken({ ...claims, sub }))).toBe(401);
  });

  it.each([
    ["a NUL character", "a\0b", "a\uFFFDb"],
    ["half a character", "a\ud800", "a\uFFFD"],
    ["a character on both sides of the 120th place", `${"x".repeat(119)}\u{1F511}\u{1F511}`, `${"x".repeat(119)}\u{1F511}`],
    ["white space alone", " \n ", "ada"],
  ])("may name its user by %s without failing", async (_what, preferred_username, name) => {
    const bearer = await signToken({ ...claims, email: "ada@acme.example", preferred_username });
    const created = await api("POST", "/v1/exceptions", { bearer, tenant, body: { title: "By a strange name", severity: "low" } });
    expect(created.json).toMatchObject({ created_by: `user:${name}` });
  });

  it("takes tenants as an array with roles beside it, also under app_metadata, never from user_metadata", async () => {
    const asArray = { tenants: [tenant], roles: ["tenant_admin"] };
    const roles = async (payload: object) => {
      const answer = await api("GET", "/v1/me", { bearer: await signToken({ sub: "ada", ...payload }), tenant });
      return answer.status === 200 ? (answer.json as { principal: { roles: string[] } }).principal.roles : answer.status;
    };
    expect(await roles(asArray)).toEqual(["tenant_admin"]);
    expect(await roles({ app_metadata: asArray })).toEqual(["tenant_admin"]);
    expect(await roles({ user_metadata: asArray })).toBe(403);
    expect(await roles({ tenants: [tenant], user_metadata: { roles: ["tenant_admin"] } })).toEqual([]);
  });

  it("names its user by preferred_username, else the local part of email, else sub", async () => {
    const name = async (payload: Record<string, unknown>) =>
      (
        (await api("GET", "/v1/me", { bearer: await signToken({ ...claims, preferred_username: undefined, ...payload }), tenant }))
          .json as { principal: { name: string } }
      ).principal.name;
    expect(await name({ preferred_username: "countess", email: "ada@acme.example" })).toBe("countess");
    expect(await name({ email: "ada@acme.example" })).toBe("ada");
    expect(await name({ sub: "auth0|17" })).toBe("auth0|17");
  });
});

describe("a token of Supabase Auth", () => {
  it("is believed with the tenants of app_metadata, and opens nothing straight at the Data API", async () => {
    const supabase = createClient(stack.supabaseUrl, stack.publishableKey, { auth: { persistSession: false } });
    const { data } = await supabase.auth.signInWithPassword({ email: "leo@acme.example", password: "tieout-demo" });
    const answer = await api("GET", "/v1/me", { bearer: data.session?.access_token, tenant: "acme" });
    expect(answer.json).toMatchObject({ principal: { type: "user", name: "leo", roles: ["tenant_lead"] } });
    expect((await api("GET", "/v1/me", { bearer: data.session?.access_token, tenant: "globex" })).status).toBe(403);
    expect((await supabase.from("exceptions").select("id")).data).toEqual([]);
    expect((await supabase.from("tenants").select("id")).data).toEqual([]);
  });
});

describe("Supabase's keys", () => {
  it("let the publishable key ask who it is, and no more of the operations there are", async () => {
    expect((await api("GET", "/v1/me", { bearer: stack.publishableKey, tenant })).json).toMatchObject({
      principal: { type: "publishable_key" },
    });
    for (const path of ["/v1/exceptions", "/v1/exceptions/sla", "/v1/reconciliations"]) {
      expect((await api("GET", path, { bearer: stack.publishableKey, tenant })).status).toBe(403);
    }
  });

  it("write exactly one security event for each call of the service-role key, with its reason", async () => {
    const own = await createTenant();
    const call = (method: string, path: string, body?: object) =>
      api(method, path, { bearer: stack.secretKey, tenant: own, body, headers: { "X-Audit-Reason": "Ticket 4711" } });
    const created = await call("POST", "/v1/exceptions", { title: "By the service", severity: "low" });
    expect(created.status).toBe(201);
    await call("GET", "/v1/exceptions/sla");
    await call("GET", "/v1/me");
    const events = await sql<{ operation: string; reason: string; actor: string }>(
      "select operation, reason, actor from public.security_events where tenant_id = $1 order by id",
      [own],
    );
    expect(events).toEqual(
      ["createException", "listSlaExceptions", "getMe"].map((operation) => ({ operation, reason: "Ticket 4711", actor: "service_role" })),
    );
  });

  it("do not open a tenant that does not exist", async () => {
    expect((await api("GET", "/v1/me", { bearer: stack.secretKey, tenant: "no-such-tenant" })).status).toBe(403);
  });
});

describe("the header", () => {
  it("counts once: two Authorization headers are 401, two X-Tenant-Id headers are 400", async () => {
    const bearer = await signToken(claims);
    expect(await raw(["Authorization", `Bearer ${bearer}`, "Authorization", `Bearer ${bearer}`, "X-Tenant-Id", tenant])).toBe(401);
    expect(await raw(["Authorization", `Bearer ${bearer}`, "X-Tenant-Id", tenant, "X-Tenant-Id", tenant])).toBe(400);
  });

  it("may be malformed in every way without a 500", async () => {
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
    httpRequest({ hostname, port, path: "/v1/me", headers: ["Host", `${hostname}:${port}`, ...headers] }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
