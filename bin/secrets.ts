import { Client } from "pg";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE =
  "Usage: npm run -s secrets -- reseal\nSeals every secret of webhooks, connections and alert channels with the first of " +
  "ENCRYPTION_KEYS. Put the new key first, restart, then reseal. Remove the old key a day later.";

if (process.argv.slice(2).join(" ") !== "reseal") fail(USAGE);

Object.assign(process.env, stackEnvironment());
const connectionString = process.env.DATABASE_URL;
if (!connectionString)
  fail("No stack is running on DATA_DIR. Run npm start first, or set DATABASE_URL.");

const { resealSecret } = await import("#lib/webhooks/seal-secret.ts");
const { resealCredential } = await import("#lib/connections/credential.ts");
const { resealUrl } = await import("#lib/alerts/channel-url.ts");
const client = new Client({ connectionString });
await client.connect().catch(() => fail("The database isn't responding. Is the stack running?"));

const RESEALS = {
  webhook_secrets: resealSecret,
  webhook_headers: resealSecret,
  webhook_clients: resealSecret,
  connection_credentials: resealCredential,
  alert_channel_urls: resealUrl,
};
type Row = { table: keyof typeof RESEALS; id: string; tenant_id: string; sealed: string };
const { rows } = await client.query<Row>(
  `select 'webhook_secrets' as table, id, tenant_id, sealed from private.webhook_secrets
   union all select 'webhook_headers', id, tenant_id, sealed from private.webhook_headers
   union all select 'webhook_clients', id, tenant_id, sealed from private.webhook_clients
   union all select 'connection_credentials', id, tenant_id, sealed
   from private.connection_credentials
   union all select 'alert_channel_urls', url_id, tenant_id, sealed
   from private.alert_channel_urls order by id`,
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
          `update private.${table} set sealed = $1 where ${idColumn(table)} = $2 and sealed = $3`,
          [fresh, id, sealed],
        )
      ).rowCount ?? 0;
}
await client.end();

console.log(
  `Resealed ${resealed} of ${rows.length} secrets of webhooks, ` +
    "connections and alert channels with the newest key.",
);
if (unreadable.length > 0)
  fail(
    `None of ENCRYPTION_KEYS opens ${unreadable.join(", ")}. ` +
      "Add the key they were sealed with and run this again.",
  );

function idColumn(table: Row["table"]): string {
  return table === "alert_channel_urls" ? "url_id" : "id";
}

function reseal(table: Row["table"], sealed: string, tenantId: string, id: string): string | null {
  try {
    return RESEALS[table](sealed, tenantId, id);
  } catch {
    return null;
  }
}
