import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenant, sql, stack, uniqueName } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import { handMade, inMinutes } from "./hand-made-token.ts";

let tenant: string;
let claims: Record<string, unknown>;

beforeAll(async () => {
  tenant = await createTenant();
  claims = { sub: "ada", preferred_username: "ada", tenants: { [tenant]: ["tenant_admin"] } };
});

describe("trust anchors of a web process", () => {
  const CLAIM = "https://tieout.example/tenants";
  const ROLES = "https://tieout.example/roles";
  let web: WebProcess;
  let privateKey: CryptoKey;
  let pem: string;
  const jwks = { keys: [] as object[], requests: 0 };
  const jwksServer = createServer((_request, response) => {
    jwks.requests++;
    response.setHeader("Content-Type", "application/json").end(JSON.stringify({ keys: jwks.keys }));
  });
  let published: CryptoKey;

  beforeAll(async () => {
    const pair = await generateKeyPair("RS256", { extractable: true });
    privateKey = pair.privateKey;
    pem = await exportSPKI(pair.publicKey);
    const other = await generateKeyPair("RS256", { extractable: true });
    published = other.privateKey;
    jwks.keys.push({ ...(await exportJWK(other.publicKey)), kid: "one", alg: "RS256", use: "sig" });
    await new Promise<void>((resolve) => jwksServer.listen(0, "127.0.0.1", resolve));
    web = await startWebProcess({
      AUTH_JWT_PUBLIC_KEY: pem,
      AUTH_JWT_JWKS_URL: `http://127.0.0.1:${(jwksServer.address() as AddressInfo).port}/jwks`,
      AUTH_JWT_ISSUER: "https://idp.example",
      AUTH_JWT_AUDIENCE: "tieout",
      AUTH_JWT_TENANTS: `no-such-tenant, ${tenant}`,
      AUTH_JWT_TENANTS_CLAIM: CLAIM,
      AUTH_JWT_ROLES_CLAIM: ROLES,
      SERVICE_ROLE_REASON: "required",
    });
  });

  afterAll(async () => {
    await web?.stop();
    jwksServer.close();
  });

  const ask = (bearer: string, of: string) =>
    fetch(`${web.url}/v1/me`, {
      headers: { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": of },
    });
  const me = async (bearer: string, of = tenant) => (await ask(bearer, of)).status;
  const rolesOf = async (bearer: string) =>
    ((await (await ask(bearer, tenant)).json()) as { principal: { roles: string[] } }).principal
      .roles;
  const good = () => ({
    sub: "ada",
    [CLAIM]: { [tenant]: ["tenant_admin"] },
    iss: "https://idp.example",
    aud: "tieout",
    exp: inMinutes(5),
  });
  const rs256 = (payload: Record<string, unknown>, key: CryptoKey, kid?: string) =>
    new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid }).sign(key);

  it("are the PEM and the JWKS for RS256, and the secret for HS256", async () => {
    expect(await me(await rs256(good(), privateKey))).toBe(200);
    expect(await me(await rs256(good(), published, "one"))).toBe(200);
    expect(await me(await handMade({}, good()))).toBe(200);
  });

  it("refuse an HS256 token signed with the RS256 public key", async () => {
    expect(await me(await handMade({}, good(), pem))).toBe(401);
    expect(await me(await handMade({}, good(), pem.trim()))).toBe(401);
  });

  it("speak for the tenants that they are bound to, and for no other", async () => {
    const other = await createTenant();
    const both = { [tenant]: ["tenant_admin"], [other]: ["tenant_admin"] };
    for (const bearer of [
      await rs256({ ...good(), [CLAIM]: both }, privateKey),
      await handMade({}, { ...good(), [CLAIM]: both }),
    ]) {
      expect([await me(bearer), await me(bearer, other)]).toEqual([200, 403]);
    }
  });

  it("are read by the claim that is configured, and by no other", async () => {
    const { [CLAIM]: _named, ...unnamed } = good();
    expect(await me(await handMade({}, { ...unnamed, tenants: { [tenant]: [] } }))).toBe(403);
    expect(await me(await handMade({}, { ...unnamed, app_metadata: { [CLAIM]: [tenant] } }))).toBe(
      403,
    );
    const bearer = await handMade(
      {},
      { ...unnamed, [CLAIM]: [tenant], roles: ["tenant_lead"], [ROLES]: ["tenant_admin"] },
    );
    expect(await rolesOf(bearer)).toEqual(["tenant_admin"]);
  });

  it("check issuer and audience if configured", async () => {
    for (const wrong of [
      { iss: "https://evil.example" },
      { iss: undefined },
      { aud: "other" },
      { aud: undefined },
    ]) {
      expect(await me(await rs256({ ...good(), ...wrong }, privateKey))).toBe(401);
      expect(await me(await handMade({}, { ...good(), ...wrong }))).toBe(401);
    }
  });

  it("allow a minute of clock skew, for nbf, iat and exp", async () => {
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
    const times = (claims: object) => handMade({}, { ...good(), ...claims });
    expect(await me(await times({ nbf: inSeconds(30), iat: inSeconds(30) }))).toBe(200);
    expect(await me(await times({ iat: inSeconds(-299) + 0.25, exp: inSeconds(300) + 0.25 }))).toBe(
      200,
    );
    expect(await me(await times({ exp: inSeconds(-30) }))).toBe(200);
    expect(await me(await times({ nbf: inSeconds(600) }))).toBe(401);
    expect(await me(await times({ exp: inSeconds(-90) }))).toBe(401);
  });

  it("try each suitable key for a token without kid, and only the named key otherwise", async () => {
    const second = await generateKeyPair("RS256", { extractable: true });
    const twin = { ...(await exportJWK(second.publicKey)), kid: "two", alg: "RS256", use: "sig" };
    const encryption = await generateKeyPair("RS256", { extractable: true });
    const keys = [
      ...jwks.keys,
      twin,
      twin,
      { ...(await exportJWK(encryption.publicKey)), kid: "enc", use: "enc" },
    ];
    const server = createServer((_request, response) => {
      response.end(JSON.stringify({ keys }));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const rotating = await startWebProcess({
      AUTH_JWT_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
      AUTH_JWT_ISSUER: "https://idp.example",
      AUTH_JWT_AUDIENCE: "tieout",
      AUTH_JWT_TENANTS_CLAIM: CLAIM,
    });
    try {
      const status = async (key: CryptoKey, kid?: string) => {
        const bearer = await rs256(good(), key, kid);
        const headers = { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant };
        return (await fetch(`${rotating.url}/v1/me`, { headers })).status;
      };
      expect(await status(published)).toBe(200);
      expect(await status(second.privateKey)).toBe(200);
      expect(await status(second.privateKey, "two")).toBe(200);
      expect(await status(second.privateKey, "one")).toBe(401);
      expect(await status(encryption.privateKey)).toBe(401);
    } finally {
      await rotating.stop();
      server.close();
    }
  });

  it("state why they refuse a token, as RFC 6750 defines", async () => {
    const stranger = await generateKeyPair("RS256");
    const why = async (bearer: string) => {
      const challenge = (await ask(bearer, tenant)).headers.get("www-authenticate") ?? "";
      expect(challenge).toContain('error="invalid_token"');
      return /error_description="([^"]+)"/.exec(challenge)?.[1];
    };
    const { exp: _exp, ...endless } = good();
    expect(await why(await handMade({}, { ...good(), exp: inMinutes(-5) }))).toMatch(/expired/);
    expect(await why(await handMade({}, { ...good(), nbf: inMinutes(5) }))).toMatch(
      /not valid yet/,
    );
    expect(await why(await handMade({}, { ...good(), aud: "other" }))).toMatch(/audience/);
    expect(await why(await handMade({}, endless))).toMatch(/no expiry/);
    expect(await why(await handMade({}, { ...good(), iss: "https://evil.example" }))).toMatch(
      /issuer/,
    );
    expect(await why(await rs256(good(), stranger.privateKey))).toMatch(/signature/);
    expect(await why("a.b.c")).toMatch(/not a JWT/);
  });

  it("are refused in the audit log with the reason and the issuer that the token names", async () => {
    const issuer = `https://${uniqueName("idp")}.example`;
    await ask(await handMade({}, { ...good(), iss: issuer }), tenant);
    await until("the refusal is recorded", async () => {
      const events = await sql<{ reason: string }>(
        `select details ->> 'token_refused' as reason from public.security_events
         where details ->> 'token_issuer' = $1`,
        [issuer],
      );
      return events.length > 0 && events.every(({ reason }) => reason === "issuer");
    });
  });

  it("don't exempt a service-role call from the reason that the operator requires", async () => {
    const called = async (reason?: string) => {
      const answer = await fetch(`${web.url}/v1/me`, {
        headers: {
          Authorization: `Bearer ${stack.secretKey}`,
          "X-Tenant-Id": tenant,
          ...(reason !== undefined && { "X-Audit-Reason": reason }),
        },
      });
      const { errors = [] } = (await answer.json()) as { errors?: { path: string }[] };
      return [answer.status, ...errors.map(({ path }) => path)];
    };
    expect(await called()).toEqual([400, "X-Audit-Reason"]);
    expect(await called(" \u00A0")).toEqual([400, "X-Audit-Reason"]);
    expect(await called("Ticket 4711")).toEqual([200]);
  });

  it("throttle JWKS requests, even for many unknown kids", async () => {
    const stranger = await generateKeyPair("RS256");
    for (let index = 0; index < 20; index++)
      expect(await me(await rs256(good(), stranger.privateKey, `kid-${index}`))).toBe(401);
    expect(jwks.requests).toBeLessThanOrEqual(2);
  });
});

describe("a web process that cannot read its identity provider's keys", () => {
  let web: WebProcess;
  beforeAll(async () => {
    web = await startWebProcess({
      AUTH_JWT_JWKS_URL: "http://127.0.0.1:9/jwks",
      AUTH_JWT_ISSUER: "https://idp.example",
      AUTH_JWT_AUDIENCE: "tieout",
    });
  });
  afterAll(() => web?.stop());

  it("returns 503 instead of rejecting its users", async () => {
    const { privateKey } = await generateKeyPair("RS256");
    const call = async (iss: string) => {
      const bearer = await new SignJWT({ ...claims, iss, aud: "tieout", exp: inMinutes(5) })
        .setProtectedHeader({ alg: "RS256" })
        .sign(privateKey);
      return fetch(`${web.url}/v1/me`, {
        headers: { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant },
      });
    };
    const answer = await call("https://idp.example");
    expect({ status: answer.status, retryAfter: answer.headers.get("retry-after") }).toEqual({
      status: 503,
      retryAfter: "30",
    });
    expect((await call("https://elsewhere.example")).status).toBe(401);
  });
});
