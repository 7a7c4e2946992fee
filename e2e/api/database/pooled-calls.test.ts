import { afterAll, beforeAll, expect, test } from "vitest";
import { createTenant } from "#e2e/fixtures.ts";
import type { Principal } from "#lib/auth/principal.ts";
import { claimsOf } from "#lib/db/claims.ts";
import { callDirectly } from "#lib/db/direct/call-directly.ts";
import { stackEnvironment } from "../../../supervisor/stack-file.ts";
import { hasPgBouncer, type Pooler, pgBouncer } from "../../stack/pooler.ts";

const CALLS = 400;
let pooler: Pooler;

beforeAll(async () => {
  if (!hasPgBouncer) return;
  pooler = await pgBouncer(stackEnvironment().REQUEST_DATABASE_URL ?? "", "transaction");
  process.env.REQUEST_DATABASE_URL = pooler.url;
});
afterAll(() => pooler?.stop());

/** It gives each transaction whichever connection is free, and the names of statements are its clients' own affair. */
test.runIf(hasPgBouncer)("a pooler in transaction mode serves direct calls, each in its caller's name", async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => createTenant()));
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
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async (_, index) => {
      const tenant = tenants[index % tenants.length] ?? "";
      const [verb, operation] = index % 3 === 0 ? ["get_exception", "getException"] : ["get_me", "getMe"];
      const { data, error } = await callDirectly(claimsOf(caller, tenant), verb as string, {
        input: { id: "exc_0" },
        request: { operation },
      });
      return { tenant, found: error?.message ?? (data as { tenant_id: string }).tenant_id, verb };
    }),
  );
  for (const { tenant, found, verb } of answers) expect(found).toBe(verb === "get_me" ? tenant : "not_found");
});
