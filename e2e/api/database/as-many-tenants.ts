import { expect } from "vitest";
import { createTenant } from "#e2e/fixtures.ts";
import type { Principal } from "#lib/auth/principal.ts";
import { claimsOf } from "#lib/db/claims.ts";
import { callDirectly } from "#lib/db/direct/call-directly.ts";

const CALLS = 200;

const caller: Principal = {
  type: "user",
  issuer: "",
  sessionId: null,
  id: "ada",
  lineageId: "ada",
  name: "ada",
  roles: ["tenant_admin"],
  scopes: [],
};

/**
 * Calls two functions concurrently as five tenants, and expects each response to be of its caller's
 * tenant.
 */
export async function callAsManyTenants(): Promise<void> {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => createTenant()));
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async (_, index) => {
      const tenant = tenants[index % tenants.length] ?? "";
      const [verb, operation] =
        index % 3 === 0 ? ["get_exception", "getException"] : ["get_me", "getMe"];
      const { data, error } = await callDirectly(claimsOf(caller, tenant), verb as string, {
        input: { id: "exc_0" },
        request: { operation },
      });
      return { tenant, verb, found: error?.message ?? (data as { tenant_id: string }).tenant_id };
    }),
  );
  for (const { tenant, verb, found } of answers)
    expect(found).toBe(verb === "get_me" ? tenant : "not_found");
}
