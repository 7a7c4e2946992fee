import { expect, it } from "vitest";
import { createTenant, database, sql } from "#e2e/fixtures.ts";
import { Subscriber } from "#e2e/webhooks/subscriber.ts";
import type { Recovery } from "#lib/webhooks/contract.ts";
import { receiver } from "./shared-receiver.ts";

// supabase/tests/partitions.test.ts tests that partitions are dropped from the disk.
it("deliveries are stored for 30 days, and no longer", async () => {
  const subscriber = await Subscriber.create(receiver);
  const webhook = await subscriber.register(["exception.updated"], { status: 410 });
  const { id } = await webhook.becomes(await subscriber.emit("exception.updated"), ["failed"]);
  await subscriber.call("POST", `${webhook.url}/enable`);
  const age = (span: string) =>
    sql("update webhook_deliveries set created_at = now() - $2::interval where tenant_id = $1", [
      subscriber.tenant,
      span,
    ]);
  const since = new Date(Date.now() - 31 * 86_400_000).toISOString();
  const remaining = async () => [
    (await webhook.deliveries()).length,
    (await webhook.get()).missed_since,
    (await subscriber.call<Recovery>("POST", `${webhook.url}/recover`, { since, dry_run: true }))
      .count,
  ];

  await age("30 days -1 minute");
  expect(await remaining()).toEqual([1, expect.any(String), 1]);
  expect((await webhook.delivery(id)).id).toBe(id);

  await age("30 days 1 second");
  expect(await remaining()).toEqual([0, null, 0]);
  await subscriber.call("GET", `${webhook.url}/deliveries/${id}`, undefined, [404]);
  await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`, undefined, [404]);
});

it("a deleted webhook is purged after 30 days", async () => {
  const tenant = await createTenant();
  const connection = await database.connect();
  const left = async () =>
    (await connection.query("select from webhooks where tenant_id = $1", [tenant])).rowCount;
  const forgetAt = async (age: string) => {
    await connection.query(
      "update webhooks set deleted_at = now() - $2::interval where tenant_id = $1",
      [tenant, age],
    );
    await connection.query("select private.purge_webhook_deliveries()");
  };
  try {
    await connection.query("begin");
    await connection.query(
      `insert into webhooks (tenant_id, url, events)
       values ($1, 'https://hooks.example.com/', '{exception.updated}')`,
      [tenant],
    );
    await forgetAt("30 days -1 second");
    expect(await left()).toBe(1);
    await forgetAt("30 days 1 second");
    expect(await left()).toBe(0);
  } finally {
    await connection.query("rollback");
    connection.release();
  }
});
