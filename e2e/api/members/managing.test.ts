import { describe, expect, it } from "vitest";
import { tenantWithLead } from "#e2e/api/sla/exceptions.ts";
import { creating } from "#e2e/exception-statements.ts";
import { api, createTenant, enrol, sql, stack, userToken } from "#e2e/fixtures.ts";
import { signIn } from "#e2e/sign-in.ts";
import type { TenantMember } from "#lib/members/contract.ts";
import type { Role } from "#lib/wire/access.ts";

const asAdmin = async (tenant: string) => {
  const bearer = await userToken(tenant, ["tenant_admin"]);
  return (method: string, path: string, body?: object, headers?: Record<string, string>) =>
    api(method, `/v1/tenants/${tenant}/members${path}`, { bearer, tenant, body, headers });
};

const trailOf = (tenant: string, type: string) =>
  sql<{ target: string; details: Record<string, unknown> }>(
    "select target, details from public.security_events where tenant_id = $1 and type = $2",
    [tenant, type],
  );

/** A token of Supabase Auth, obtained as its own clients do. */
async function supabaseToken(email: string): Promise<string> {
  const answer = await fetch(`${stack.supabaseUrl}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: stack.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: "tieout-demo" }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

describe("a tenant's members", () => {
  it("are listed with address, roles and open exceptions, never those of another tenant", async () => {
    const { tenant, create } = await tenantWithLead();
    const call = await asAdmin(tenant);
    const person = await enrol({
      [tenant]: ["tenant_analyst", "tenant_lead"],
      elsewhere: ["tenant_admin"],
    });
    const stranger = await enrol({ elsewhere: ["tenant_admin"] });
    await create({ assigned_to: `user:${person.name}` });
    const { items } = (await call("GET", "")).json as { items: TenantMember[] };
    expect(items).toEqual([
      expect.objectContaining({
        id: person.id,
        email: person.email,
        user: `user:${person.name}`,
        roles: ["tenant_analyst", "tenant_lead"],
        status: "active",
        open_exceptions: 1,
      }),
    ]);
    expect((await call("GET", `/${stranger.id}`)).status).toBe(404);
  });

  it("get other roles, which take effect at once, and the change is recorded", async () => {
    const tenant = await createTenant();
    const call = await asAdmin(tenant);
    const person = await enrol({ [tenant]: ["tenant_analyst"] });
    const bearer = await supabaseToken(person.email);
    const policy = () => api("PUT", "/v1/sla-policy", { bearer, tenant, body: {} });
    expect((await policy()).status).toBe(403);
    const read = await call("GET", `/${person.id}`);
    const changed = await call(
      "PATCH",
      `/${person.id}`,
      { roles: ["tenant_lead"] },
      { "If-Match": read.headers.get("etag") ?? "" },
    );
    expect(changed.json).toMatchObject({ roles: ["tenant_lead"] });
    expect((await policy()).status).toBe(400);
    expect(
      (
        await call(
          "PATCH",
          `/${person.id}`,
          { roles: ["tenant_admin"] },
          { "If-Match": read.headers.get("etag") ?? "" },
        )
      ).status,
    ).toBe(412);
    expect(await trailOf(tenant, "member.role_changed")).toEqual([
      {
        target: `user:${person.name}`,
        details: { member_id: person.id, roles: { from: ["tenant_analyst"], to: ["tenant_lead"] } },
      },
    ]);
  });

  it.each([
    [["owner"]],
    [[]],
    [["tenant_admin", "tenant_admin"]],
    ["tenant_admin"],
    [["service_role"]],
  ])("can't be given invalid roles: %j", async (roles) => {
    const tenant = await createTenant();
    const person = await enrol({ [tenant]: ["tenant_analyst"] });
    expect((await (await asAdmin(tenant))("PATCH", `/${person.id}`, { roles })).status).toBe(400);
  });

  it("keep an admin: the last one is neither demoted nor removed", async () => {
    const tenant = await createTenant();
    const call = await asAdmin(tenant);
    const admin = await enrol({ [tenant]: ["tenant_admin"] });
    await enrol({ [tenant]: ["tenant_lead"] });
    expect((await call("PATCH", `/${admin.id}`, { roles: ["tenant_lead"] })).status).toBe(409);
    expect((await call("DELETE", `/${admin.id}`, {})).json).toMatchObject({
      code: "conflict",
      detail: expect.stringContaining("last admin"),
    });
    const other = await enrol({ [tenant]: ["tenant_admin"] });
    const answers = await Promise.all([
      call("DELETE", `/${admin.id}`, {}),
      call("DELETE", `/${other.id}`, {}),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("are removed: access ends at once, and their exceptions are reassigned", async () => {
    const { tenant, create, call: asLead } = await tenantWithLead();
    const call = await asAdmin(tenant);
    const person = await enrol({ [tenant]: ["tenant_analyst"] });
    const { id } = await create({ assigned_to: `user:${person.name}` });
    const { cookies } = await signIn(person.email);
    const bearer = await supabaseToken(person.email);
    const me = () => api("GET", "/v1/me", { bearer, tenant });
    const byCookie = () =>
      api("GET", "/v1/me", {
        tenant,
        headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin" },
      });
    expect([(await me()).status, (await byCookie()).status]).toEqual([200, 200]);

    const removed = await call("DELETE", `/${person.id}`, {
      reason: "Left.",
      hand_over_to: "user:leo",
    });
    expect(removed.json).toMatchObject({ id: person.id, handed_over: 1 });
    expect([(await me()).status, (await byCookie()).status]).toEqual([403, 401]);
    expect((await asLead("GET", `/v1/exceptions/${id}`)).json).toMatchObject({
      assigned_to: "user:leo",
    });
    expect((await call("GET", `/${person.id}`)).status).toBe(404);
    expect(await trailOf(tenant, "member.removed")).toEqual([
      {
        target: `user:${person.name}`,
        details: expect.objectContaining({
          handed_over: 1,
          sessions_ended: 1,
          handed_over_to: "user:leo",
        }),
      },
    ]);

    const both = await enrol({ [tenant]: ["tenant_analyst"], acme: ["tenant_lead"] });
    const session = await signIn(both.email);
    await call("DELETE", `/${both.id}`, {});
    const inAcme = await api("GET", "/v1/me", {
      tenant: "acme",
      headers: { Cookie: session.cookies, "Sec-Fetch-Site": "same-origin" },
    });
    expect(inAcme.json).toMatchObject({ principal: { roles: ["tenant_lead"] } });
  });

  it("with more open exceptions than one call can hand over are not removed partially", async () => {
    const tenant = await createTenant();
    const call = await asAdmin(tenant);
    const person = await enrol({ [tenant]: ["tenant_analyst"] });
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'Payout ' || i, 'severity', 'low', 'due_at',
           now() + interval '1 day', 'assigned_to', $2::text, 'created_by', 'user:ada'`,
        `generate_series(1, 1000) i`,
      ),
      [tenant, `user:${person.name}`],
    );
    const refused = await call("DELETE", `/${person.id}`, { hand_over_to: null });
    expect(refused).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining("1,000 open exceptions or more") },
    });
    expect((await call("GET", `/${person.id}`)).status).toBe(200);
    expect((await call("DELETE", `/${person.id}`, {})).status).toBe(200);
  });

  it("with the same name hand nothing over, because their exceptions can't be told apart", async () => {
    const tenant = await createTenant();
    const call = await asAdmin(tenant);
    const roles: Role[] = ["tenant_analyst"];
    const person = await enrol({ [tenant]: roles });
    await sql(
      "insert into auth.users (id, email, raw_app_meta_data) values (gen_random_uuid(), $1, $2)",
      [`${person.name}@other.example`, { tenants: { [tenant]: roles } }],
    );
    expect((await call("DELETE", `/${person.id}`, { hand_over_to: null })).status).toBe(409);
    expect((await call("DELETE", `/${person.id}`, {})).status).toBe(200);
  });
});
