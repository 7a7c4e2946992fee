/** Fetches the files of a connection in a separate process, which a test can kill. */
import { Pool } from "pg";
import { hostList } from "#lib/runtime/env.ts";
import { fetchConnection } from "../../../worker/connections/fetch-connection.ts";

const [url, tenant_id, connection_id] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, application_name: `one fetch of ${connection_id}` });
const fetchOnce = fetchConnection(hostList.parse("127.0.0.1"));
await fetchOnce({ tenant_id, connection_id, by_hand: true }, {
  query: (text: string, values?: unknown[]) => pool.query(text, values),
} as Parameters<typeof fetchOnce>[1]);
await pool.end();
