import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  api,
  createTenant,
  enrol,
  PASSWORD,
  sql,
  stack,
  uniqueName,
  userToken,
} from "#e2e/fixtures.ts";
import { cookiesOf, sessionCookie, signIn } from "#e2e/sign-in.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import type { Session } from "#lib/sessions/contract.ts";

const IDLE_MINUTES = 10;

let tenant: string;
let other: WebProcess;

beforeAll(async () => {
  tenant = await createTenant();
  other = await startWebProcess({
    SESSION_IDLE_MINUTES: String(IDLE_MINUTES),
    SESSION_CHECK_SECONDS: "1",
  });
});
afterAll(() => other?.stop());

type CallOptions = { url?: string; headers?: Record<string, string>; body?: object };

async function call(
  method: string,
  path: string,
  cookie: string,
  { url = stack.url, headers = {}, body }: CallOptions = {},
) {
  const answer = await fetch(`${url}/v1/me${path}`, {
    method,
    headers: {
      Cookie: cookie,
      "Sec-Fetch-Site": "same-origin",
      "X-Tenant-Id": tenant,
      "Content-Type": "application/json",
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

const statusOf = async (cookie: string, options?: CallOptions) =>
  (await call("GET", "", cookie, options)).status;
const signedOut = (cookie: string, options?: CallOptions) =>
  vi.waitUntil(async () => (await statusOf(cookie, options)) === 401, { timeout: 90_000 });

async function list(cookie: string): Promise<Session[]> {
  return (await call("GET", "/sessions", cookie)).json.items;
}

async function end(cookie: string, body?: { ids: string[] }): Promise<{ ended: string[] }> {
  return (await call("POST", "/sessions/end", cookie, { body })).json;
}

/** The cookies of a person who signs in this many times, as the form does. */
async function signedIn(times: number): Promise<string[]> {
  const { email } = await enrol({ [tenant]: ["tenant_analyst"] });
  const cookies: string[] = [];
  for (let index = 0; index < times; index++) cookies.push((await signIn(email, PASSWORD)).cookies);
  return cookies;
}

async function signOut(cookie: string): Promise<Response> {
  const csrf = await fetch(`${stack.url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  return fetch(`${stack.url}/api/auth/signout`, {
    method: "POST",
    headers: { Cookie: `${cookie}; ${cookiesOf(csrf)}` },
    body: new URLSearchParams({ csrfToken, json: "true" }),
  });
}

describe("signing out", () => {
  it("ends the session in this process at once, and soon in every other", async () => {
    const [cookie = ""] = await signedIn(1);
    expect([await statusOf(cookie), await statusOf(cookie, { url: other.url })]).toEqual([
      200, 200,
    ]);
    expect((await signOut(cookie)).status).toBe(200);
    expect(await statusOf(cookie)).toBe(401);
    expect(
      (
        await fetch(`${stack.url}/${tenant}/exceptions`, {
          headers: { Cookie: cookie },
          redirect: "manual",
        })
      ).status,
    ).toBe(307);
    await signedOut(cookie, { url: other.url });
  });

  it("ends no other session of the person", async () => {
    const [first = "", second = ""] = await signedIn(2);
    await signOut(first);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });
});

describe("the sessions of a person", () => {
  it("are listed only to their person, with the current one marked", async () => {
    const [first = "", second = ""] = await signedIn(2);
    await signedIn(1);
    const sessions = await list(second);
    expect(
      sessions.map(({ current, provider, ended_at }) => ({ current, provider, ended_at })),
    ).toEqual([
      { current: true, provider: "password", ended_at: null },
      { current: false, provider: "password", ended_at: null },
    ]);
    expect(sessions[0]).toMatchObject({
      address: expect.stringMatching(/^(127|::1)/),
      user_agent: expect.stringContaining("node"),
    });
    expect((await list(first)).map(({ id }) => id)).toEqual(sessions.map(({ id }) => id));
    expect(JSON.stringify(sessions)).not.toContain(tenant);
  });

  it("are ended one by one, and only by their person", async () => {
    const [first = "", second = ""] = await signedIn(2);
    const [stranger = ""] = await signedIn(1);
    const target = (await list(first)).find(({ current }) => current)?.id ?? "";
    expect(await end(stranger, { ids: [target] })).toEqual({ ended: [] });
    expect(await statusOf(first)).toBe(200);
    expect(await end(second, { ids: [target] })).toEqual({ ended: [target] });
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    expect(await end(second, { ids: [target] })).toEqual({ ended: [] });
    const events = await sql(
      "select target from public.security_events where tenant_id = $1 and type = 'session.ended'",
      [tenant],
    );
    expect(events).toEqual([{ target }]);
  });

  it("end everywhere at once, including the session of the call", async () => {
    const cookies = await signedIn(3);
    const [stranger = ""] = await signedIn(1);
    expect((await end(cookies[1] ?? "")).ended).toHaveLength(3);
    expect(await Promise.all(cookies.map((cookie) => statusOf(cookie)))).toEqual([401, 401, 401]);
    await Promise.all(cookies.map((cookie) => signedOut(cookie, { url: other.url })));
    expect(await statusOf(stranger)).toBe(200);
  });

  it("are limited to a hundred: the oldest end", async () => {
    const sub = uniqueName("many");
    const cookie = await sessionCookie({ sub, tenants: { [tenant]: ["tenant_lead"] } });
    expect(await statusOf(cookie)).toBe(200);
    await sql(
      `select private.begin_session(jsonb_build_object('issuer', $1::text, 'subject', $2::text,
         'provider', 'corp', 'seconds', 600))
       from generate_series(1, 100)`,
      [process.env.OIDC_CORP_ISSUER, sub],
    );
    await signedOut(cookie);
    const live = "select from private.sessions where subject = $1 and ended_at is null";
    expect(await sql(live, [sub])).toHaveLength(100);
  });

  it("can't be read with an API key or without a role", async () => {
    expect(
      (await api("GET", "/v1/me/sessions", { bearer: await userToken(tenant, []), tenant })).status,
    ).toBe(403);
    expect((await api("GET", "/v1/me/sessions", { bearer: stack.secretKey, tenant })).status).toBe(
      403,
    );
    expect(
      (
        await api("GET", "/v1/me/sessions", {
          bearer: await userToken(tenant, ["tenant_lead"]),
          tenant,
        })
      ).json,
    ).toEqual({
      items: [],
      next_cursor: null,
    });
  });
});

describe("a cookie", () => {
  it("is worthless without a session of the same person", async () => {
    const tenants = { [tenant]: ["tenant_lead" as const] };
    const [victim] = await sql<{ id: string }>(
      "select id from private.sessions where ended_at is null limit 1",
    );
    expect(await statusOf(await sessionCookie({ tenants }))).toBe(200);
    expect(await statusOf(await sessionCookie({ tenants, sid: victim?.id }))).toBe(401);
    expect(await statusOf(await sessionCookie({ tenants, sid: "ses_0" }))).toBe(401);
    expect(await statusOf(await sessionCookie({ tenants, sid: undefined }))).toBe(401);
  });
});

describe("an idle session", () => {
  const setLastSeen = (sub: string, minutes: number) =>
    sql(
      "update private.sessions set seen_at = now() - make_interval(mins => $2) where subject = $1",
      [sub, minutes],
    );
  const seenAt = async (sub: string) =>
    (
      await sql<{ at: Date }>("select seen_at as at from private.sessions where subject = $1", [
        sub,
      ])
    )[0]?.at.getTime() ?? 0;
  const cookieOf = (sub: string) => sessionCookie({ sub, tenants: { [tenant]: ["tenant_lead"] } });

  it("ends", async () => {
    const sub = uniqueName("idle");
    const cookie = await cookieOf(sub);
    await setLastSeen(sub, IDLE_MINUTES - 1);
    expect(await statusOf(cookie, { url: other.url })).toBe(200);
    await setLastSeen(sub, IDLE_MINUTES + 1);
    await signedOut(cookie, { url: other.url });
  });

  it("is one whose calls are only automatic refreshes", async () => {
    const sub = uniqueName("wall");
    const cookie = await cookieOf(sub);
    await setLastSeen(sub, IDLE_MINUTES - 1);
    const before = await seenAt(sub);
    expect(await statusOf(cookie, { url: other.url, headers: { "X-Unattended": "true" } })).toBe(
      200,
    );
    expect(await seenAt(sub)).toBe(before);
    expect(await statusOf(cookie, { url: other.url })).toBe(200);
    expect(await seenAt(sub)).toBeGreaterThan(before);
  });
});

it("a cookie known only to next-auth reveals no session", async () => {
  const [cookie = ""] = await signedIn(1);
  expect(
    (await fetch(`${stack.url}/api/auth/session`, { headers: { Cookie: cookie } })).status,
  ).toBe(404);
});
