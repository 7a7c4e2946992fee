import { Client } from "pg";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE =
  "Usage: npm run -s secrets -- reseal\nSeals every secret of webhooks and connections with the first of " +
  "ENCRYPTION_KEYS. Put the new key first, restart, then reseal. Remove the old key a day later.";

if (process.argv.slice(2).join(" ") !== "reseal") fail(USAGE);

Object.assign(process.env, stackEnvironment());
const connectionString = process.env.DATABASE_URL;
if (!connectionString)
  fail("No stack is running on DATA_DIR. Run npm start first, or set DATABASE_URL.");

const { resealSecret } = await import("#lib/webhooks/seal-secret.ts");
const { resealCredential } = await import("#lib/connections/credential.ts");
const client = new Client({ connectionString });
await client.connect().catch(() => fail("The database isn't responding. Is the stack running?"));

type Row = { table: string; id: string; tenant_id: string; sealed: string };
const { rows } = await client.query<Row>(
  `select 'webhook_secrets' as table, id, tenant_id, sealed from private.webhook_secrets
   union all select 'webhook_headers', id, tenant_id, sealed from private.webhook_headers
   union all select 'webhook_clients', id, tenant_id, sealed from private.webhook_clients
   union all select 'connection_credentials', id, tenant_id, sealed
   from private.connection_credentials order by id`,
);
const unreadable: string[] = [];
let resealed = 0;
for (const { table, id, tenant_id, sealed } of rows) {
  const fresh = reseal(table, sealed, tenant_id, id);
  if (fresh === null) unreadable.push(id);
  else
    resealed +=
      (
        await client.query(
          `update private.${table} set sealed = $1 where id = $2 and sealed = $3`,
          [fresh, id, sealed],
        )
      ).rowCount ?? 0;
}
await client.end();

console.log(
  `Resealed ${resealed} of ${rows.length} secrets of webhooks and connections with the newest key.`,
);
if (unreadable.length > 0)
  fail(
    `None of ENCRYPTION_KEYS opens ${unreadable.join(", ")}. Add the key they were sealed with and run this again.`,
  );

function reseal(table: string, sealed: string, tenantId: string, id: string): string | null {
  try {
    const seals = table === "connection_credentials" ? resealCredential : resealSecret;
    return seals(sealed, tenantId, id);
  } catch {
    return null;
  }
}
