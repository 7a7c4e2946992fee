/**
 * A matcher that does one run and ends, for tests that kill it: `node one-run.ts <database url>
 * <tenant> <reconciliation>`.
 */
import { Client } from "pg";
import { doRun } from "../../../worker/matcher/runs/do-run.ts";

const [connectionString, tenant_id = "", reconciliation_id = ""] = process.argv.slice(2);
const connection = { connectionString, application_name: `one run of ${tenant_id}` };
const [main, side] = [new Client(connection), new Client(connection)];
await Promise.all([main.connect(), side.connect()]);
await doRun(main, side, { tenant_id, reconciliation_id, run_id: null }, () => {});
await Promise.all([main.end(), side.end()]);
