import { afterAll, beforeAll, test } from "vitest";
import { requestDatabaseUrl } from "#e2e/fixtures.ts";
import { callLimits } from "#lib/db/call-limits.ts";
import { forgetfulPooler, type Pooler } from "../../stack/pooler.ts";
import { callAsManyTenants } from "./as-many-tenants.ts";
import { callsGoTo } from "./calls-go-to.ts";

/** As one of this many processes, this one opens few connections. */
const PROCESSES = 2;
/**
 * More than it opens, so that each of its connections soon serves a call after another caller's.
 */
const CONNECTIONS = callLimits(PROCESSES).total + 2;
let pooler: Pooler;

beforeAll(async () => {
  pooler = await forgetfulPooler(requestDatabaseUrl(), CONNECTIONS);
  callsGoTo(pooler.url, { WEB_CONCURRENCY: String(PROCESSES) });
});
afterAll(() => pooler.stop());

/**
 * It gives each transaction whichever connection is free. The names of statements are its clients'
 * own affair.
 */
test(
  "a pooler in transaction mode that keeps no track of prepared statements serves direct calls, each in its caller's name",
  callAsManyTenants,
);
