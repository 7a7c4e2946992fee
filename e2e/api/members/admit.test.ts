import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { api, createTenant, sql, uniqueName, userToken } from "#e2e/fixtures.ts";

const COMMAND = fileURLToPath(new URL("../../../bin/tenant.ts", import.meta.url));

it("a command admits a member, keeps their other tenants, and is recorded", async () => {
  const [tenant, other] = [await createTenant(), await createTenant()];
  const email = `${uniqueName("nia")}@mail.example`;
  await sql("insert into auth.users (id, email, raw_app_meta_data) values ($1, $2, $3)", [
    randomUUID(),
    email,
    { provider: "email", tenants: [other], roles: ["tenant_lead"] },
  ]);

  expect(
    await tenantCommand("admit", tenant, email.toUpperCase(), "tenant_analyst", "tenant_lead"),
  ).toMatchObject({ code: 0 });

  const [account] = await sql<{ claims: object }>(
    "select raw_app_meta_data as claims from auth.users where email = $1",
    [email],
  );
  expect(account?.claims).toEqual({
    provider: "email",
    tenants: { [other]: ["tenant_lead"], [tenant]: ["tenant_analyst", "tenant_lead"] },
  });
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const trail = await api("GET", "/v1/security-events", {
    bearer,
    tenant,
    query: { type: "member.admitted" },
  });
  expect(trail.json).toMatchObject({
    items: [
      {
        actor: "operator",
        target: `user:${email.split("@")[0]}`,
        details: { roles: { from: [], to: ["tenant_analyst", "tenant_lead"] } },
      },
    ],
  });
});

it.each([
  [
    "a tenant that does not exist",
    "no-such-tenant",
    "ada@acme.example",
    "tenant_lead",
    "There is no tenant no-such-tenant.",
  ],
  [
    "an address that nobody has",
    "acme",
    "nobody@mail.example",
    "tenant_lead",
    "Supabase Auth has no account with the address",
  ],
  ["a role that there is not", "acme", "ada@acme.example", "owner", "Usage:"],
])("%s is refused by name", async (_what, tenant, email, role, message) => {
  const { code, output } = await tenantCommand("admit", tenant, email, role);
  expect(code).toBe(1);
  expect(output).toContain(message);
});

function tenantCommand(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [COMMAND, ...args], (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}
