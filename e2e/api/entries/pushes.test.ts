import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Connection } from "#lib/connections/contract.ts";
import type { EntryBatch } from "#lib/entries/contract.ts";
import { startBucket } from "../connections/bank-servers.ts";
import { startSshServer, whyNoSshd } from "../connections/ssh-server.ts";
import type { Fixture } from "../matching/matching-fixture.ts";
import { october, RULES } from "./october.ts";

let bucket: Awaited<ReturnType<typeof startBucket>>;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => bucket.close());

const connect = (fixture: Fixture, settings: object) =>
  fixture.ok<Connection>("POST", "connections", {
    body: { source_id: fixture.right, ...settings },
  });
const setPush = (fixture: Fixture, push: object | null) =>
  fixture.call("PUT", `reconciliations/${fixture.period}/entry-rules`, {
    body: { rules: RULES, ledger: { push } },
  });

/** Closes the period, and waits until the push of its batch is in this state. */
async function closed(fixture: Fixture, state: string): Promise<EntryBatch> {
  await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
  return pushed(fixture, state);
}

function pushed(fixture: Fixture, state: string): Promise<EntryBatch> {
  return until(`the push is ${state}`, async () => {
    const { items } = await fixture.ok<{ items: EntryBatch[] }>("GET", "entry-batches");
    return items[0]?.push?.state === state && items[0];
  });
}

test("a close pushes its batch to the bucket, which marks it as exported once", async () => {
  const fixture = await october();
  const { id } = await connect(fixture, bucket.settings);
  const set = await setPush(fixture, { connection_id: id, folder: "entries", format: "csv" });
  expect(set.status, set.text).toBe(200);
  const batch = await closed(fixture, "done");
  expect(batch).toMatchObject({
    state: "exported",
    exported_by: "system",
    push: { error: null, files: [`entries-${batch.number}.csv`] },
  });
  const [columns = "", ...rows] = (await bucket.read(`entries/entries-${batch.number}.csv`))
    .trimEnd()
    .split("\r\n");
  expect(columns).toMatch(/^batch_number,place,posting_date,debit_account,credit_account,amount,/);
  expect(rows.map((row) => row.split(",").slice(0, 7).join(" "))).toEqual(
    [
      "1 2026-10-31 1200 1590 40.00 EUR",
      "2 2026-10-31 6800 1200 14.90 EUR",
      "3 2026-10-31 4970 1200 2.50 EUR",
    ].map((row) => `${batch.number} ${row}`),
  );
  for (const path of ["exported", "push"]) {
    const again = await fixture.call("POST", `entry-batches/${batch.id}/${path}`, {
      ...(path === "exported" && { body: {} }),
    });
    expect(again.json).toMatchObject({ reason: "already_exported" });
  }
  const events = await sql(
    "select from security_events where tenant_id = $1 and type = 'entries.exported'",
    [fixture.tenant],
  );
  expect(events).toHaveLength(1);
});

test("a push of a batch that its format can't hold stops with the reason, and resumes once the rules change", async () => {
  const fixture = await october();
  const { id: connection_id } = await connect(fixture, bucket.settings);
  await setPush(fixture, { connection_id, folder: null, format: "sap" });
  const stopped = await closed(fixture, "stopped");
  expect(stopped).toMatchObject({ state: "ready", push: { files: [] } });
  expect(stopped.push?.error).toMatch(/company code/);
  expect(await fixture.ok<Connection>("GET", `connections/${connection_id}`)).toMatchObject({
    last_error: `Batch ${stopped.number} was not pushed: ${stopped.push?.error}`,
  });
  await until("its job is over, not to be tried again", async () => {
    const jobs = await sql("select from graphile_worker.jobs where key = $1", [
      `push:${stopped.id}`,
    ]);
    return jobs.length === 0;
  });

  // As if the batch had more entries than 1,000 Xero files can hold.
  await sql(
    "update entry_batches set sums = jsonb_set(sums, '{0,entry_count}', $2) where id = $1",
    [stopped.id, "150001"],
  );
  await setPush(fixture, { connection_id, folder: null, format: "xero" });
  await until("it says how many files it needs", async () => {
    const { push } = await pushed(fixture, "stopped");
    return push?.error?.includes("needs 1,001 files, and at most 1,000 are pushed");
  });

  await setPush(fixture, { connection_id, folder: null, format: "csv" });
  expect(await pushed(fixture, "done")).toMatchObject({ state: "exported", push: { error: null } });
  await sql("select private.end_entry_push($1, $2, $3)", [
    fixture.tenant,
    stopped.id,
    JSON.stringify({ state: "failed", files: [], error: "Too late.", needs_person: false }),
  ]);
  expect(await pushed(fixture, "done")).toMatchObject({ push: { error: null } });
});

test("a push to a server that fails is tried again", async () => {
  const fixture = await october();
  const { id: connection_id } = await connect(fixture, {
    ...bucket.settings,
    address: bucket.settings.address.replace("/bank/", "/no-such-bucket/"),
  });
  await setPush(fixture, { connection_id, folder: null, format: "csv" });
  const { id } = await closed(fixture, "failed");
  const [job] = await sql(
    "select attempts < max_attempts as goes_on from graphile_worker.jobs where key = $1",
    [`push:${id}`],
  );
  expect(job).toEqual({ goes_on: true });
});

test("batches are pushed only to the tenant's own SFTP or S3 connections, and only if configured", async () => {
  const [fixture, other] = await Promise.all([october(), october()]);
  const { id: foreign } = await connect(other, bucket.settings);
  const { id: readOnly } = await connect(fixture, {
    kind: "https",
    address: "https://bank.example/today.csv",
    auth: "none",
  });
  for (const connection_id of [foreign, readOnly]) {
    const refused = await setPush(fixture, { connection_id, folder: null, format: "csv" });
    expect(refused.json).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "ledger.push.connection_id" }],
    });
  }
  expect((await setPush(fixture, null)).status).toBe(200);
  await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
  const { items } = await fixture.ok<{ items: EntryBatch[] }>("GET", "entry-batches");
  expect(items[0]).toMatchObject({ state: "ready", push: null });
  expect((await fixture.call("POST", `entry-batches/${items[0]?.id}/push`)).json).toMatchObject({
    reason: "no_push",
  });
});

test.skipIf(whyNoSshd() !== null)(
  "an SFTP push leaves only complete files, and replaces an earlier file of the same name",
  async () => {
    const ssh = await startSshServer();
    try {
      const fixture = await october();
      const { id } = await connect(fixture, ssh.settings);
      await setPush(fixture, { connection_id: id, folder: "in", format: "netsuite" });
      const batch = await closed(fixture, "done");
      const [name = ""] = batch.push?.files ?? [];
      expect(await ssh.names()).toEqual(["in", `in/${name}`]);
      const first = await ssh.read(`in/${name}`);
      expect(first.split("\r\n").length).toBeGreaterThan(3);
      expect((await fixture.ok<Connection>("GET", `connections/${id}`)).host_key).toBe(
        ssh.fingerprint,
      );
      // As if the worker had died after it wrote the file.
      await sql(
        `update entry_batches set exported_at = null, exported_by = null,
           push = push || '{"state": "waiting"}' where id = $1`,
        [batch.id],
      );
      await fixture.ok("POST", `entry-batches/${batch.id}/push`);
      await pushed(fixture, "done");
      expect(await ssh.names()).toEqual(["in", `in/${name}`]);
      expect(await ssh.read(`in/${name}`)).toBe(first);
      const requests = await sql(
        `select target from security_events
         where tenant_id = $1 and type = 'entries.push_requested'`,
        [fixture.tenant],
      );
      expect(requests).toEqual([{ target: batch.id }]);
    } finally {
      await ssh.close();
    }
  },
);
