import { beforeEach, describe, expect, it } from "vitest";
import { sql, stack, uniqueName } from "#e2e/fixtures.ts";
import { type Trail, tenantWithTrail } from "./trail.ts";

let trail: Trail;

beforeEach(async () => {
  trail = await tenantWithTrail();
});

describe("sessions", () => {
  const password = "tieout-demo";

  async function post(action: string, fields: Record<string, string>, cookies: string[] = []) {
    const csrf = await fetch(`${stack.url}/api/auth/csrf`, {
      headers: { Cookie: cookies.join("; ") },
    });
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const jar = [
      ...cookies,
      ...csrf.headers.getSetCookie().map((text) => text.split(";")[0] ?? ""),
    ];
    const response = await fetch(`${stack.url}/api/auth/${action}`, {
      method: "POST",
      headers: { Cookie: jar.join("; ") },
      body: new URLSearchParams({ ...fields, csrfToken, json: "true" }),
      redirect: "manual",
    });
    return {
      status: response.status,
      cookies: [...jar, ...response.headers.getSetCookie().map((text) => text.split(";")[0] ?? "")],
    };
  }

  async function newMember(): Promise<string> {
    const email = `${uniqueName("eve")}@acme.example`;
    await sql(
      `insert into auth.users (instance_id, id, aud, role, email, encrypted_password,
         email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
         confirmation_token, recovery_token, email_change, email_change_token_new,
           email_change_token_current, phone_change, phone_change_token,
         reauthentication_token, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated',
         'authenticated', $1,
         extensions.crypt($3, extensions.gen_salt('bf', 4)), now(),
           jsonb_build_object('tenants', jsonb_build_object($2::text, '["tenant_admin"]'::jsonb)),
           '{}',
         '', '', '', '', '', '', '', '', now(), now())`,
      [email, trail.tenant, password],
    );
    return email;
  }

  it("sign-ins, failures and sign-outs are recorded in the member's tenants", async () => {
    const email = await newMember();
    const actor = `user:${email.split("@")[0]}`;
    expect((await post("callback/password", { email, password: "wrong" })).status).toBe(401);
    expect(await trail.one("session.sign_in_failed")).toMatchObject({
      actor,
      credential: "none",
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    });
    const { status, cookies } = await post("callback/password", { email, password });
    expect(status).toBe(200);
    expect(await trail.one("session.signed_in")).toMatchObject({
      actor,
      credential: "user",
      details: { provider: "password" },
    });
    await post("signout", {}, cookies);
    expect(await trail.one("session.signed_out")).toMatchObject({
      actor,
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it("nobody signs in if the event can't be recorded", async () => {
    const email = await newMember();
    await sql(
      `alter table private.security_event_heads add constraint "no chain for ${trail.tenant}" check (chain <> '${trail.tenant}') not valid`,
    );
    try {
      const { status, cookies } = await post("callback/password", { email, password });
      expect(status).toBe(503);
      expect(cookies.filter((text) => text.startsWith("tieout.session"))).toEqual([]);
    } finally {
      await sql(
        `alter table private.security_event_heads drop constraint "no chain for ${trail.tenant}"`,
      );
    }
  });
});
