import type { JobHelpers } from "graphile-worker";
import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { type FileLine, FreshTenant } from "#e2e/fresh-tenant.ts";
import { schemaDatabases } from "../../../bin/dev/generate/schema-databases.ts";
import { closePeriodTask } from "../tasks/close-period.ts";

const fresh = schemaDatabases();
let tenant: FreshTenant;
let client: Client;
let url: string;
let tenants = 0;

beforeAll(async () => {
  ({ url, client } = await fresh());
}, 120_000);

/** A line of this day is within grace. */
const LAST_DAY = "2099-12-31";

type Period = {
  id: string;
  closing: boolean;
  closing_failure: string | null;
  closed_at: string | null;
};

const invoice = (n: number, other: Partial<FileLine> = {}): FileLine => ({
  day: "2026-03-02",
  amount_minor: 10_000 + n * 37,
  reference: `RG-${n}`,
  counterparty: `Customer ${n}`,
  ...other,
});

/** Two invoices on each side, matched by a run, in sources that count as large. */
async function matchedPeriod(auto_run = true): Promise<{ id: string; right: string }> {
  tenant = await FreshTenant.create(`acme${++tenants}`, url, client);
  const left = await tenant.source("Left");
  const right = await tenant.source("Right");
  const id = await tenant.bind(left, right, { auto_run, period_end: LAST_DAY });
  await tenant.import(left, [invoice(1), invoice(2), invoice(3)]);
  await tenant.import(right, [invoice(1), invoice(2)]);
  expect(await tenant.run(id)).toMatchObject({ status: "done", changed: { added: 2 } });
  await client.query("update public.sources set line_count = 30000 where tenant_id = $1", [
    tenant.id,
  ]);
  return { id, right };
}

async function close(id: string): Promise<Period> {
  return (await tenant.call("close_reconciliation", "closeReconciliation", { id })) as Period;
}

async function closeByMatcher(id: string): Promise<Period> {
  const key = { tenant_id: tenant.id, reconciliation_id: id };
  const helpers = { job: { attempts: 1, max_attempts: 1 } } as unknown as JobHelpers;
  await closePeriodTask(url)(key, helpers);
  const { rows } = await client.query<{ period: Period }>(
    "select private.reconciliation_json(r) as period from public.reconciliations r where r.id = $1",
    [id],
  );
  return rows[0]?.period as Period;
}

const CLOSED = { closing: false, closing_failure: null, closed_at: expect.any(String) };
const WAITING = { closing: true, closing_failure: null, closed_at: null };

test("a close waits for no run if nothing changed since the last one", async () => {
  const { id } = await matchedPeriod();
  expect(await close(id)).toMatchObject(WAITING);
  expect(await closeByMatcher(id)).toMatchObject(CLOSED);
});

test("a close of a period with manual runs waits for no run, even after changes", async () => {
  const { id, right } = await matchedPeriod(false);
  await tenant.import(right, [invoice(3)]);
  expect(await close(id)).toMatchObject(WAITING);
  expect(await closeByMatcher(id)).toMatchObject(CLOSED);
});

test("a close waits for a full run after changes, and continues if it finds nothing", async () => {
  const { id, right } = await matchedPeriod();
  await tenant.import(right, [invoice(9, { day: LAST_DAY })]);
  expect(await close(id)).toMatchObject(WAITING);
  await expect(close(id)).rejects.toThrow();
  expect(await closeByMatcher(id)).toMatchObject(WAITING);
  const { statements } = await tenant.run(id);
  expect(statements.some(({ statement }) => statement.includes("private.load_run("))).toBe(true);
  expect(await closeByMatcher(id)).toMatchObject(CLOSED);
});

test("a close leaves the period open, with the findings, if its run finds something new", async () => {
  const { id, right } = await matchedPeriod();
  await tenant.import(right, [invoice(3)]);
  expect(await close(id)).toMatchObject(WAITING);
  await tenant.run(id);
  expect(await closeByMatcher(id)).toMatchObject({
    closing: false,
    closed_at: null,
    closing_failure:
      "The run before the close found something new: 1 match or suggestion made, 0 undone and " +
      "0 exceptions opened. Look at it, and close the period again.",
  });
  expect(await close(id)).toMatchObject(WAITING);
  expect(await closeByMatcher(id)).toMatchObject(CLOSED);
});

test("lines that arrive while a close waits for its run don't delay it", async () => {
  const { id, right } = await matchedPeriod();
  await tenant.import(right, [invoice(9, { day: LAST_DAY })]);
  await close(id);
  await tenant.run(id);
  await tenant.import(right, [invoice(10, { day: LAST_DAY })]);
  expect(await closeByMatcher(id)).toMatchObject(CLOSED);
});

test("after a failed run before a close, the next close waits for a run again", async () => {
  const { id, right } = await matchedPeriod();
  await tenant.import(right, [invoice(3)]);
  await close(id);
  await failAfterReading(id);
  expect(await closeByMatcher(id)).toMatchObject({
    closing: false,
    closed_at: null,
    closing_failure:
      "The run before the close failed: The matcher stopped. Close the period again to try again, " +
      "or set auto_run to false first to close it without a run.",
  });
  expect(await close(id)).toMatchObject(WAITING);
  expect(await closeByMatcher(id)).toMatchObject(WAITING);
  expect(await tenant.run(id)).toMatchObject({ status: "done", changed: { added: 1 } });
});

/** A run takes the marks of what it read away before it fails. */
async function failAfterReading(id: string): Promise<void> {
  await client.query("select private.forget_read_changes($1, $2)", [tenant.id, id]);
  const { rowCount } = await client.query(
    `select from public.runs run, private.fail_run($1, run.id, run.attempt, 'The matcher stopped.')
     where run.tenant_id = $1 and run.reconciliation_id = $2 and run.status = 'queued'`,
    [tenant.id, id],
  );
  expect(rowCount).toBe(1);
}
