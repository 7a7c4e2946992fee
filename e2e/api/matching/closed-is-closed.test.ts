import { describe, expect, test } from "vitest";
import { database } from "#e2e/fixtures.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { imported, undo } from "../lines/ledgers.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const FILE = `${JSON.stringify({ external_id: "a", amount: "1.00", value_date: "2026-10-05" })}\n`;

type Outcome = "carried" | "excluded" | "matched";

const settle: Record<Outcome, (fixture: Fixture, id: string) => Promise<unknown>> = {
  carried: async () => {},
  excluded: (fixture: Fixture, id: string) =>
    fixture.ok("POST", `lines/${id}/exclude`, { body: { reason: "Not ours" } }),
  matched: async (fixture: Fixture, id: string) => {
    const [other] = await fixture.add("right", [line("b", 100)]);
    await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
      body: { line_ids: [id, other] },
    });
  },
};

/** October, with a line of an import that got this outcome. */
async function october(outcome: Outcome): Promise<{ fixture: Fixture; file: string }> {
  const fixture = await Fixture.create();
  const { id: file } = await imported(fixture, fixture.left, FILE);
  const { items } = await fixture.ok<{ items: { id: string }[] }>("GET", "lines", {
    query: { source_id: fixture.left, import_id: file },
  });
  await settle[outcome](fixture, items[0]?.id ?? "");
  return { fixture, file };
}

describe("undoing an import", { timeout: SLOW }, () => {
  test.each(["carried", "excluded", "matched"] as const)(
    "is refused while a closed period has %s a line of it",
    async (outcome) => {
      const { fixture, file } = await october(outcome);
      await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
      const read = () =>
        fixture.call("GET", `reconciliations/${fixture.period}/statement/export`, {
          query: { format: "csv" },
        });
      const before = (await read()).text;
      expectProblem(await undo(fixture, file), "conflict");
      expect((await read()).text).toBe(before);
      await fixture.ok("POST", `reconciliations/${fixture.period}/reopen`, {
        body: { reason: "The wrong file" },
      });
      expect((await undo(fixture, file)).json).toMatchObject({ status: "undone" });
      expect((await fixture.proof()).holds).toBe(true);
    },
  );

  test.each(["excluded", "matched"] as const)(
    "is refused once an archived period has %s a line of it",
    async (outcome) => {
      const { fixture, file } = await october(outcome);
      await fixture.ok("PATCH", `reconciliations/${fixture.period}`, {
        body: { status: "archived" },
      });
      const before = [await fixture.proof(), await fixture.matches()];
      expectProblem(await undo(fixture, file), "conflict");
      expect([await fixture.proof(), await fixture.matches()]).toEqual(before);
    },
  );
});

test("a closed period keeps its name, archived or not", async () => {
  const fixture = await Fixture.create();
  const { name } = await fixture.ok<{ name: string }>(
    "POST",
    `reconciliations/${fixture.period}/close`,
  );
  const rename = () =>
    fixture.call("PATCH", `reconciliations/${fixture.period}`, { body: { name: "Another" } });
  expectProblem(await rename(), "conflict");
  await fixture.ok("PATCH", `reconciliations/${fixture.period}`, { body: { status: "archived" } });
  expectProblem(await rename(), "conflict");
  expect(await fixture.reconciliation()).toMatchObject({ name });
});

test("no period opens or moves before a closed one; carried lines settle later", async () => {
  const fixture = await Fixture.create();
  await fixture.add("left", [line("a", 100, { value_date: "2026-09-12" })]);
  await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
  const september = { period_start: "2026-09-01", period_end: "2026-09-30" };
  const sides = { left_source_id: fixture.left, right_source_id: fixture.right };
  expectProblem(
    await fixture.call("POST", "reconciliations", {
      body: { name: "September", ...sides, ...september },
    }),
    "conflict",
  );
  const { id } = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
  expectProblem(
    await fixture.call("PATCH", `reconciliations/${id}`, { body: september }),
    "conflict",
  );
});

test("every write to the table is checked against the pair of its sources and the quota", async () => {
  const fixture = await Fixture.create();
  const other = await fixture.bind({
    left_source_id: (await fixture.source("Bank")).id,
    right_source_id: (await fixture.source("Ledger")).id,
  });
  const claims = {
    tenant_id: fixture.tenant,
    principal_type: "user",
    roles: ["tenant_admin"],
    actor: "user:eve",
  };
  const connection = await database.connect();
  const columns = "name, period_start, period_end, left_source, right_source";
  const values = "'November', date '2026-11-01', date '2026-11-30', 'left', 'right'";
  const become = () =>
    connection.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify(claims)]);
  try {
    await connection.query("begin");
    await become();
    const anotherPair = connection.query(
      `insert into public.reconciliations (${columns}, pair_no, left_source_id, right_source_id)
       select ${values}, r.pair_no, $1, $2 from public.reconciliations r where r.tenant_id = $3
         and r.id = $4`,
      [fixture.left, fixture.right, fixture.tenant, other.id],
    );
    await expect(anotherPair).rejects.toThrow("invalid_request");
    await connection.query("rollback");
    await connection.query("begin");
    await connection.query(
      `insert into private.quotas (kind, maximum) values ('reconciliations', 2)
       on conflict (kind) do update set maximum = 2`,
    );
    await become();
    await expect(
      connection.query(`insert into public.reconciliations (${columns}) values (${values})`),
    ).rejects.toThrow("conflict");
  } finally {
    await connection.query("rollback");
    connection.release();
  }
});
