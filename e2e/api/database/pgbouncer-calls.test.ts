import { afterAll, beforeAll, test } from "vitest";
import { requestDatabaseUrl } from "#e2e/fixtures.ts";
import { hasPgBouncer, type Pooler, pgBouncer } from "../../stack/pooler.ts";
import { callAsManyTenants } from "./as-many-tenants.ts";
import { configureDirectCalls } from "./configure-direct-calls.ts";

let pooler: Pooler | undefined;

beforeAll(async () => {
  if (!hasPgBouncer) return;
  pooler = await pgBouncer(requestDatabaseUrl(), "transaction");
  configureDirectCalls(pooler.url);
});
afterAll(() => pooler?.stop());

test.runIf(hasPgBouncer)(
  "PgBouncer in transaction mode serves direct calls, each in its caller's name",
  callAsManyTenants,
);
