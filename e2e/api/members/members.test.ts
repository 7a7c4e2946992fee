import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { tenantWithLead } from "#e2e/api/sla/exceptions.ts";
import { creating } from "#e2e/exception-statements.ts";
import { sql, uniqueName } from "#e2e/fixtures.ts";
import type { Member } from "#lib/members/contract.ts";

type Page = { items: Member[]; next_cursor: string | null };

describe("the members of a tenant", () => {
  it("are its Supabase Auth users, with either form of claim, and assigned names", async () => {
    const { tenant, create, call } = await tenantWithLead();
    await account("object", {
      tenants: { [tenant]: ["tenant_lead", "no_role"], other: ["tenant_admin"] },
    });
    await account("array", {
      tenants: [tenant, "other"],
      roles: ["tenant_analyst", "tenant_admin"],
    });
    await account("roleless", { tenants: { [tenant]: [] } });
    await create({ assigned_to: "user:from-elsewhere" });
    const closed = await create({ assigned_to: "user:had-one" });
    await call("PATCH", `/v1/exceptions/${closed.id}`, {
      status: "dismissed",
      resolution: "Noise.",
    });
    await create({ assigned_to: "user:array" });
    const answer = await call("GET", "/v1/members");
    expect(answer.json).toEqual({
      items: [
        {
          name: "array",
          user: "user:array",
          roles: ["tenant_admin", "tenant_analyst"],
          source: "directory",
        },
        { name: "from-elsewhere", user: "user:from-elsewhere", roles: [], source: "assignment" },
        { name: "had-one", user: "user:had-one", roles: [], source: "assignment" },
        { name: "object", user: "user:object", roles: ["tenant_lead"], source: "directory" },
        { name: "roleless", user: "user:roleless", roles: [], source: "directory" },
      ],
      next_cursor: null,
    });
  });

  it("never include people of another tenant, or people who can't sign in", async () => {
    const { tenant, call } = await tenantWithLead();
    const other = await tenantWithLead();
    await other.create({ assigned_to: "user:theirs" });
    await account("foreigner", { tenants: { other: ["tenant_admin"] } });
    await account("prefix", { tenants: { [tenant.slice(0, -1)]: ["tenant_admin"] } });
    await account("string", { tenants: tenant, roles: ["tenant_admin"] });
    await account("wrong-shape", { tenants: { [tenant]: "tenant_admin" } });
    await account(
      "own-words",
      {},
      { raw_user_meta_data: { tenants: { [tenant]: ["tenant_admin"] } } },
    );
    await account("banned", { tenants: [tenant] }, { banned_until: "2999-01-01" });
    await account("deleted", { tenants: [tenant] }, { deleted_at: "2026-01-01" });
    await account("forgiven", { tenants: [tenant] }, { banned_until: "2026-01-01" });
    expect(namesOf((await call("GET", "/v1/members")).json)).toEqual(["forgiven"]);
  });

  it("are listed by name without gaps or repeats, and found by a part of the name", async () => {
    const { tenant, call } = await tenantWithLead();
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'T' || i, 'severity', 'low', 'due_at', now(),
           'assigned_to', 'user:Person-' || i % 23, 'created_by', 'user:leo'`,
        `generate_series(1, 200) i`,
      ),
      [tenant],
    );
    const whole = namesOf((await call("GET", "/v1/members", undefined, { limit: "250" })).json);
    expect(new Set(whole).size).toBe(23);
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = (
        await call("GET", "/v1/members", undefined, { limit: "7", ...(cursor && { cursor }) })
      ).json as Page;
      paged.push(...namesOf(page));
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(whole);
    expect(namesOf((await call("GET", "/v1/members", undefined, { q: "pERSON-22" })).json)).toEqual(
      ["Person-22"],
    );
    expect(namesOf((await call("GET", "/v1/members", undefined, { q: "%" })).json)).toEqual([]);
  });
});

function namesOf(page: unknown): string[] {
  return (page as Page).items.map(({ name }) => name);
}

/** A user of Supabase Auth whose address begins with the name. */
async function account(
  name: string,
  appMetadata: object,
  columns: Record<string, unknown> = {},
): Promise<void> {
  const row = {
    id: randomUUID(),
    email: `${name}@${uniqueName("mail")}.example`,
    raw_app_meta_data: appMetadata,
    ...columns,
  };
  const names = Object.keys(row);
  await sql(
    `insert into auth.users (${names.join(", ")}) values (${names.map((_, at) => `$${at + 1}`).join(", ")})`,
    Object.values(row),
  );
}
