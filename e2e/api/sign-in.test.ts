import { decode, encode } from "next-auth/jwt";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { api, enrol, PASSWORD, sql, stack } from "#e2e/fixtures.ts";
import { cookiesOf, sessionCookie, signIn } from "#e2e/sign-in.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import { stackEnvironment } from "../../supervisor/stack-file.ts";

const FORM = "application/x-www-form-urlencoded";
const secret = stackEnvironment().NEXTAUTH_SECRET ?? "";

describe("the guard in front of next-auth", () => {
  const post = (path: string, type: string, body: string) =>
    fetch(`${stack.url}/api/auth/${path}`, {
      method: "POST",
      headers: { "Content-Type": type },
      body,
      redirect: "manual",
    });

  it("never lets a caller write into the log", async () => {
    expect((await post("_log", FORM, "level=error&code=forged")).status).toBe(404);
  });

  it.each(["callback/password", "signout", "signin/password"])(
    "accepts a form of at most 64 KiB at %s",
    async (path) => {
      expect((await post(path, FORM, `a=${"x".repeat(64 * 1024)}`)).status).toBe(413);
      for (const broken of ["{", "null", '{"email":["a"]}'])
        expect((await post(path, "application/json", broken)).status).toBe(415);
    },
  );

  it.each(["email", "csrfToken", "callbackUrl"])(
    "rejects a form with two of %s, which parsers read differently",
    async (name) => {
      const answer = await post(
        "callback/password",
        FORM,
        `${name}=a&email=ada%40acme.example&${name}=b`,
      );
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({
        status: 400,
        body: { errors: [{ path: expect.any(String) }] },
      });
    },
  );

  it("rejects a URL with a repeated parameter", async () => {
    expect((await fetch(`${stack.url}/api/auth/signin?callbackUrl=/a&callbackUrl=/b`)).status).toBe(
      400,
    );
    expect((await fetch(`${stack.url}/api/auth/callback/corp?state=a&state=b`)).status).toBe(400);
  });

  it.each([
    "application/x-www-form-urlencoded; x=application/json",
    "application/x-www-form-urlencoded;application/json",
    "application/x-www-form-urlencoded; charset=application/json",
  ])("reads a form with any content-type parameters: %s", async (type) => {
    const csrf = await fetch(`${stack.url}/api/auth/csrf`);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const answer = await fetch(`${stack.url}/api/auth/callback/password`, {
      method: "POST",
      headers: { "Content-Type": type, Cookie: cookiesOf(csrf) },
      body: JSON.stringify({
        email: "ada@acme.example",
        password: PASSWORD,
        csrfToken,
        json: "true",
      }),
      redirect: "manual",
    });
    expect(cookiesOf(answer)).not.toContain("tieout.session");
  });

  it.each([
    "error?error=%E2%82%AC",
    "error?error=%0d%0aSet-Cookie:a=b",
    "error/%E2%82%AC",
    "signin/%E2%82%AC",
    "error?error=a%26callbackUrl%3d//evil.example",
  ])("responds to %s without failing", async (path) => {
    const answer = await fetch(`${stack.url}/api/auth/${path}`, { redirect: "manual" });
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers.get("location") ?? "").not.toContain("evil");
  });

  it.each(["callback/password", "c%61llback/p%61ssword"])(
    "records who signs in by %s",
    async (path) => {
      const person = await enrol({ acme: ["tenant_lead"] });
      await signIn(person.email, PASSWORD, stack.url, path);
      const events = await sql(
        "select from public.security_events where type = 'session.signed_in' and actor = $1",
        [`user:${person.name}`],
      );
      expect(events).toHaveLength(1);
    },
  );

  it("has no way in by address alone", async () => {
    expect(
      (
        await fetch(
          `${stack.url}/api/auth/callback/password?email=ada@acme.example&password=${PASSWORD}`,
        )
      ).status,
    ).toBe(404);
  });

  it("leaves nothing of a session in a cache", async () => {
    for (const path of ["csrf", "providers", "signout"]) {
      expect((await fetch(`${stack.url}/api/auth/${path}`)).headers.get("cache-control")).toBe(
        "no-store",
      );
    }
    expect((await signIn("ada@acme.example", PASSWORD)).headers.get("cache-control")).toBe(
      "no-store",
    );
  });
});

it("the time of a refusal doesn't reveal whether the account exists", async () => {
  for (const email of ["ada@acme.example", "nobody@acme.example"]) {
    const { status, ms } = await signIn(email, "not-the-password");
    expect(status).toBe(401);
    expect(ms).toBeGreaterThan(490);
  }
});

describe("wrong passwords", () => {
  let web: WebProcess;
  beforeAll(async () => {
    web = await startWebProcess({ AUTH_FAILURES_PER_MINUTE: "12" });
  });
  afterAll(() => web?.stop());

  const statuses = (count: number, email: string, password: string) =>
    Promise.all(
      Array.from({ length: count }, async () => (await signIn(email, password, web.url)).status),
    );

  it("are limited to ten failures a minute per account and a limit per address", async () => {
    for (let index = 0; index < 13; index++)
      expect((await signIn("leo@acme.example", PASSWORD, web.url)).status).toBe(200);
    expect((await statuses(11, "ana@acme.example", "guess")).sort()).toEqual([
      ...Array(10).fill(401),
      429,
    ]);
    const { status, headers, way } = await signIn(" ANA@acme.example", PASSWORD, web.url);
    expect({ status, way }).toEqual({ status: 429, way: expect.stringContaining("error=") });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    await statuses(2, "nobody@acme.example", "guess");
    expect((await signIn("leo@acme.example", PASSWORD, web.url)).status).toBe(429);
  });
});

describe("a session by password", () => {
  const sessionOf = (cookies: string) => /tieout\.session=([^;]+)/.exec(cookies)?.[1] ?? "";
  const hours = (count: number) => Math.floor(Date.now() / 1000) + count * 3600;

  it("ends eight hours after sign-in, even if its cookie says otherwise", async () => {
    const { cookies } = await signIn("ada@acme.example", PASSWORD);
    const begun = await decode({ token: sessionOf(cookies), secret });
    expect(begun?.valid_until).toBeGreaterThan(hours(7.9));
    expect(begun?.valid_until).toBeLessThan(hours(8.1));
    const me = async (valid_until: number) => {
      const Cookie = `tieout.session=${await encode({ token: { ...begun, valid_until }, secret })}`;
      return (
        await api("GET", "/v1/me", {
          tenant: "acme",
          headers: { Cookie, "Sec-Fetch-Site": "same-origin" },
        })
      ).status;
    };
    expect([await me(hours(0.1)), await me(hours(0) - 1)]).toEqual([200, 401]);
    await sql("update private.sessions set expires_at = now() where id = $1", [begun?.sid]);
    await vi.waitUntil(async () => (await me(hours(0.1))) === 401, { timeout: 90_000 });
  });

  it("is accepted only from our own pages", async () => {
    const { cookies } = await signIn("ada@acme.example", PASSWORD);
    const statusFrom = async (headers: Record<string, string>, tenant: string[] = ["acme"]) =>
      (
        await api("GET", "/v1/me", {
          tenant,
          headers: { Cookie: `tieout.session=${sessionOf(cookies)}`, ...headers },
        })
      ).status;
    expect(await statusFrom({ "Sec-Fetch-Site": "same-origin" })).toBe(200);
    expect(await statusFrom({ Origin: stack.url })).toBe(200);
    for (const site of ["cross-site", "same-site", "none"])
      expect(await statusFrom({ "Sec-Fetch-Site": site }), site).toBe(401);
    for (const origin of ["https://evil.example", `${stack.url}.evil.example`, "null"]) {
      expect(await statusFrom({ Origin: origin }), origin).toBe(401);
    }
    expect(await statusFrom({})).toBe(401);
    expect(await statusFrom({ "Sec-Fetch-Site": "cross-site", Origin: stack.url })).toBe(401);
  });
});

describe("a session by a provider", () => {
  let web: { bound: WebProcess; without: WebProcess };
  beforeAll(async () => {
    const [bound, without] = await Promise.all([
      startWebProcess({ OIDC_CORP_TENANTS: "acme" }),
      startWebProcess({ OIDC_PROVIDERS: "" }),
    ]);
    web = { bound, without };
  });
  afterAll(() => Promise.all([web?.bound.stop(), web?.without.stop()]));

  it("covers only the provider's tenants, and ends when the provider loses trust", async () => {
    const Cookie = await sessionCookie({
      tenants: { acme: ["tenant_lead"], globex: ["tenant_lead"] },
    });
    const me = async (url: string, tenant: string) =>
      (
        await fetch(`${url}/v1/me`, {
          headers: { Cookie, "Sec-Fetch-Site": "same-origin", "X-Tenant-Id": tenant },
        })
      ).status;
    expect(await Promise.all([me(stack.url, "acme"), me(stack.url, "globex")])).toEqual([200, 200]);
    expect(await Promise.all([me(web.bound.url, "acme"), me(web.bound.url, "globex")])).toEqual([
      200, 403,
    ]);
    expect(await Promise.all([me(web.without.url, "acme"), me(web.without.url, "globex")])).toEqual(
      [401, 401],
    );
  });
});
