import { afterAll, beforeAll, test } from "vitest";
import { requestDatabaseUrl } from "#e2e/fixtures.ts";
import { callLimits } from "#lib/db/call-limits.ts";
import { type Pooler, poolerWithoutPreparedStatements } from "../../stack/pooler.ts";
import { callAsManyTenants } from "./as-many-tenants.ts";
import { configureDirectCalls } from "./configure-direct-calls.ts";

/** The number of web processes, among which connections are divided. */
const PROCESSES = 2;
/**
 * More server connections than this process opens, so that transactions move between them and each
 * serves several callers.
 */
const CONNECTIONS = callLimits(PROCESSES).total + 2;
let pooler: Pooler;

beforeAll(async () => {
  pooler = await poolerWithoutPreparedStatements(requestDatabaseUrl(), CONNECTIONS);
  configureDirectCalls(pooler.url, { WEB_CONCURRENCY: String(PROCESSES) });
});
afterAll(() => pooler.stop());

// The pooler gives each transaction the connection that was idle longest, and leaves the names of
// prepared statements to its clients.
test(
  "a pooler in transaction mode that keeps no track of prepared statements serves direct calls, each in its caller's name",
  callAsManyTenants,
);
