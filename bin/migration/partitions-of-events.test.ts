import { readFileSync } from "node:fs";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { become } from "#lib/db/direct/call-directly.ts";
import { migrations } from "../../supabase/local/migrate.ts";
import { lentDatabases } from "../generate/lent-databases.ts";
import { run } from "./schemas.ts";

const NAME = "partitions_of_events";
const TABLES = ["events", "webhook_deliveries", "webhook_attempts", "request_log"];

const fresh = lentDatabases();

test("what is there when events come to be in partitions stays, is sent, and is dropped in its time", {
  timeout: 120_000,
}, async () => {
  const { url, client } = await fresh();
  const all = migrations();
  const at = all.findIndex(({ name }) => name === NAME);
  for (const { name, file } of all.slice(0, at))
    await run(client, readFileSync(file, "utf8"), name);
  await client.query(`
    select private.create_tenant('acme', 'Acme');
    insert into webhooks (id, tenant_id, url, events, created_by) values
      ('whk_1', 'acme', 'https://hooks.example.com/', '{exception.created}', 'user:ada'),
      ('whk_off', 'acme', 'https://hooks.example.com/off', '{exception.created}', 'user:ada');
    update webhooks set status = 'disabled', disabled_at = now(), disabled_by = 'user:ada', disabled_reason = 'manual' where id = 'whk_off';
    insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed) values ('whs_1', 'acme', 'whk_1', 'sealed');
    select private.emit('acme', 'exception.created', '{"n": 1}', 'k');
    insert into events (tenant_id, type, data) select 'acme', 'exception.created', jsonb_build_object('n', n) from generate_series(2, 4) n;
    insert into events (id, tenant_id, type, data) values ('evt_odd', 'acme', 'exception.created', '{"n": 5}');
    insert into events (id, tenant_id, type, at, data) values ('evt_0198a000000070008000000000000000', 'acme', 'exception.updated', now() - interval '40 days', '{}');
    insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status, created_at)
      values ('dlv_0198a000000070008000000000000000', 'acme', 'whk_1', 'evt_0198a000000070008000000000000000', 'exception.updated', 'delivered', now() - interval '40 days')`);
  const recorded = [
    {
      id: "req_1",
      tenant_id: "acme",
      age_ms: 5,
      method: "GET",
      path: "/v1/me",
      query: "",
      status: 200,
      duration_ms: 3,
      credential: "api_key",
      request: {},
      response: {},
    },
  ];
  const record = (batch: string) =>
    client.query("select private.record_requests($1, $2)", [batch, JSON.stringify(recorded)]);
  await record("019a9f4b-e2c0-4d6f-8a1b-3c5d7e9f0a2b");
  const claim = async (by: Client = client) =>
    (await by.query("select * from private.claim_webhook_deliveries('{whk_1}', 100)")).rows;
  const settle = (rows: object[], by: Client = client) =>
    by.query("select private.settle_webhook_attempts($1)", [JSON.stringify(rows)]);
  const [one, two, ...underWay] = await claim();
  await settle([
    { attempt_id: one.attempt_id, status_code: 200, duration_ms: 5 },
    { attempt_id: two.attempt_id, status_code: 500, duration_ms: 5 },
  ]);
  expect(underWay).toHaveLength(3);
  await client.query(
    "update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where id = $1",
    [two.delivery_id],
  );
  const rows = async () => {
    const found: Record<string, unknown[]> = {};
    for (const name of TABLES)
      found[name] = (
        await client.query(`select to_jsonb(t) as row from ${name} t order by 1`)
      ).rows;
    return found;
  };
  const before = await rows();
  expect(Object.values(before).map(({ length }) => length)).toEqual([6, 11, 5, 1]);

  // A session that is open meanwhile, and has run the functions.
  const open = new Client({ connectionString: url });
  await open.connect();
  onTestFinished(() => open.end());
  const asAdmin = async (
    verb: string,
    input: object,
  ): Promise<{ items: { id: string; status: string }[] }> => {
    const claims = {
      role: "authenticated",
      sub: "ada",
      tenant_id: "acme",
      principal_type: "user",
      principal_id: "user:ada",
      actor: "user:ada",
    };
    const { text, values } = become({ ...claims, roles: ["tenant_admin"], scopes: [] } as never);
    await open.query("begin");
    await open.query(text, values);
    const operation = verb.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const answer = await open.query(`select public.${verb}(input => $1, request => $2) as answer`, [
      input,
      { operation, request_id: "req_2" },
    ]);
    await open.query("commit");
    return answer.rows[0].answer;
  };
  await asAdmin("test_webhook", { id: "whk_1", type: "webhook.test" });
  const tested = await claim(open);
  await settle([{ attempt_id: tested[0].attempt_id, status_code: 500, duration_ms: 5 }], open);
  const list = () => asAdmin("list_webhook_deliveries", { id: "whk_1", limit: 50 });
  const listed = await list();
  const resend = (id: string) =>
    asAdmin("resend_webhook_delivery", { id: "whk_1", delivery_id: id });
  await resend(listed.items[0]?.id ?? "");
  const held = await rows();

  for (const { name, file } of all.slice(at)) await run(client, readFileSync(file, "utf8"), name);

  expect(await rows()).toEqual(held);
  const now = await list();
  expect(now.items.map(({ id }) => id)).toEqual(
    listed.items.map(({ id }) => id).filter((id) => !id.startsWith("dlv_0198a0")),
  );
  await asAdmin("test_webhook", { id: "whk_1", type: "webhook.test" });
  // What was under way is settled; what was due is sent.
  await settle(
    underWay.map(({ attempt_id }) => ({ attempt_id, status_code: 200, duration_ms: 5 })),
    open,
  );
  const due = await claim(open);
  expect(due).toHaveLength(2);
  expect(
    due
      .map(({ attempt_id }) => Number(attempt_id))
      .every((id) => id > Number(tested[0].attempt_id)),
  ).toBe(true);
  await settle(due.map(({ attempt_id }) => ({ attempt_id, status_code: 200, duration_ms: 5 })));
  await resend(one.delivery_id);
  await settle(
    (await claim()).map(({ attempt_id }) => ({ attempt_id, status_code: 200, duration_ms: 5 })),
  );
  const pending = () =>
    client.query(
      "select next_attempt_at > now() as waits from webhook_deliveries where status = 'pending'",
    );
  expect((await pending()).rows).toEqual([{ waits: true }]);

  await client.query("select private.emit('acme', 'exception.created', '{}', 'k')");
  expect(await claim()).toEqual([]);
  await client.query("select private.emit('acme', 'exception.created', '{}', 'another')");
  expect(await claim()).toHaveLength(1);
  await record("019a9f4b-e2c0-4d6f-8a1b-3c5d7e9f0a2c");
  expect((await client.query("select from request_log")).rowCount).toBe(2);

  const first =
    "select ends + interval '30 days' as past from private.partitions_of('webhook_deliveries') where name like '%first'";
  const [{ past }] = (await client.query(first)).rows;
  const roll = async () => {
    while (
      (await client.query("select private.roll_partitions($1) as done", [past])).rows[0].done > 0
    );
    return (
      await client.query(
        "select from private.partitions_of('webhook_deliveries') where name like '%first'",
      )
    ).rowCount;
  };
  expect(await roll()).toBe(1);
  await client.query(
    "update webhook_deliveries set status = 'failed', failure_kind = 'retries_exhausted', next_attempt_at = null, lease = null where status = 'pending'",
  );
  expect(await roll()).toBe(0);
  // The one that the database did not name is in the last.
  expect((await client.query("select id from events")).rows).toEqual([{ id: "evt_odd" }]);
});
