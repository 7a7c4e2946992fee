import { expect, it } from "vitest";
import { createTenant, database } from "#e2e/fixtures.ts";

it("deliveries, their attempts and payloads are kept 30 days, and no longer", async () => {
  const tenant = await createTenant();
  const connection = await database.connect();
  const count = async (what: string) => (await connection.query<{ n: number }>(`select count(*)::integer as n from ${what}`)).rows[0]?.n;
  try {
    await connection.query("begin");
    const { rows } = await connection.query<{ id: string }>(
      "insert into webhooks (tenant_id, url, events) values ($1, 'https://hooks.example.com/', '{exception.updated}') returning id",
      [tenant],
    );
    await connection.query("insert into events (tenant_id, type, data) select $1, 'exception.updated', '{}' from generate_series(1, 30)", [
      tenant,
    ]);
    await connection.query("insert into events (tenant_id, type, data) values ($1, 'exception.created', '{}')", [tenant]);
    const ids = rows.map(({ id }) => id);
    await connection.query("select private.claim_webhook_deliveries($1, 100)", [ids]);
    await connection.query(
      `select private.settle_webhook_attempts(jsonb_agg(jsonb_build_object('attempt_id', id, 'status_code', 200, 'duration_ms', 5)))
       from webhook_attempts where tenant_id = $1`,
      [tenant],
    );
    const deliveries = `webhook_deliveries where tenant_id = '${tenant}'`;
    const attempts = `webhook_attempts where tenant_id = '${tenant}'`;
    const events = `events where tenant_id = '${tenant}'`;
    const age = async (span: string) => {
      await connection.query(`update webhook_deliveries set created_at = now() - $2::interval where tenant_id = $1`, [tenant, span]);
      await connection.query(`update events set at = now() - $2::interval where tenant_id = $1`, [tenant, span]);
    };
    expect([await count(deliveries), await count(attempts), await count(events)]).toEqual([30, 20, 31]);

    await age("30 days -1 second");
    await connection.query("select private.purge_webhook_deliveries()");
    expect([await count(deliveries), await count(attempts), await count(events)]).toEqual([30, 20, 31]);

    await age("30 days 1 second");
    await connection.query("select private.purge_webhook_deliveries(7)");
    expect([await count(deliveries), await count(events)]).toEqual([23, 24]);
    await connection.query("select private.purge_webhook_deliveries()");
    expect([await count(deliveries), await count(attempts), await count(events)]).toEqual([0, 0, 0]);

    await connection.query("update webhooks set deleted_at = now() - interval '30 days 1 second' where tenant_id = $1", [tenant]);
    await connection.query("select private.purge_webhook_deliveries()");
    expect(await count(`webhooks where tenant_id = '${tenant}'`)).toBe(0);
  } finally {
    await connection.query("rollback");
    connection.release();
  }
});
