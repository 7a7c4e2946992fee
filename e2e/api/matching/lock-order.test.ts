import { Client } from "pg";
import { expect, test } from "vitest";
import { duringTransaction } from "#e2e/during-transaction.ts";
import { sql, superuserUrl } from "#e2e/fixtures.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { imported } from "../lines/ledgers.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const FILE = ["a", "b", "c"]
  .map((external_id) => JSON.stringify({ external_id, amount: "1.00", value_date: "2026-10-05" }))
  .join("\n");

test("lines that arrive during a sign change are all counted with the new sign", async () => {
  const fixture = await Fixture.create();
  await duringTransaction(
    [
      [
        "update public.sources set sign = 'inverted' where tenant_id = $1 and id = $2",
        [fixture.tenant, fixture.left],
      ],
    ],
    [() => fixture.add("left", [line("a", 1_000)])],
  );
  const proof = await fixture.proof();
  expect(proof.items).toMatchObject([
    { side: "left", lines: -1_000, open: -1_000, holds: true },
    { side: "right", lines: 0, open: 0, holds: true },
  ]);
});

test("a sign does not change while lines arrive", async () => {
  const fixture = await Fixture.create();
  const [source] = await sql<{ no: number }>(
    "select source_no as no from public.sources where tenant_id = $1 and id = $2",
    [fixture.tenant, fixture.left],
  );
  const [changed] = await duringTransaction(
    [
      ["select private.stage_lines()", []],
      [
        `insert into pg_temp.staged_lines (position, amount_minor, currency, value_date)
         values (0, 1000, 'EUR', date '2026-10-12')`,
        [],
      ],
      ["select private.insert_staged_lines($1, $2, null, true)", [fixture.tenant, source?.no]],
    ],
    [() => fixture.call("PATCH", `sources/${fixture.left}`, { body: { sign: "inverted" } })],
  );
  if (!changed) throw new Error("The sign was not asked to change.");
  expectProblem(changed, "conflict");
  expect((await fixture.proof()).holds).toBe(true);
});

test(
  "an import that is undone while a pair of its source opens leaves nothing open in it",
  async () => {
    const fixture = await Fixture.create();
    const sides = {
      left_source_id: (await fixture.source("Bank")).id,
      right_source_id: (await fixture.source("Ledger")).id,
    };
    const { id } = await imported(fixture, sides.left_source_id, FILE);
    const [undone] = await duringTransaction(
      [
        [
          "select set_config('request.jwt.claims', $1, true)",
          [JSON.stringify({ tenant_id: fixture.tenant })],
        ],
        ["select from private.open_pair($1, $2)", [sides.left_source_id, sides.right_source_id]],
      ],
      [() => fixture.call("POST", `imports/${id}/undo`)],
    );
    expect(undone?.status, undone?.text).toBe(200);
    const period = await fixture.bind(sides);
    expect(period.unmatched_count).toBe(0);
    expect(await fixture.proof(period.id)).toMatchObject({ items: [], holds: true });
  },
  SLOW,
);

test("a proof fails on invalid open lines, even if they cancel each other", async () => {
  const fixture = await Fixture.create();
  await sql(
    `insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
       open_minor, value_date)
     select r.tenant_id, r.pair_no, v.line_no, 'left', 'EUR', v.minor, v.minor, date '2026-10-05'
     from public.reconciliations r, (values (-1, 500), (-2, -500)) v (line_no, minor)
     where r.tenant_id = $1 and r.id = $2`,
    [fixture.tenant, fixture.period],
  );
  expect((await fixture.proof()).holds).toBe(false);
  expectProblem(await fixture.call("POST", `reconciliations/${fixture.period}/close`), "conflict");
});

test("lines that arrive during a close follow it, and carried amounts agree", async () => {
  const fixture = await Fixture.create();
  await fixture.add("left", [line("a", 1_000)]);
  await fixture.ok("PATCH", `reconciliations/${fixture.period}`, {
    body: { status: "in_progress" },
  });
  const answers = await duringTransaction(
    [
      [
        "select from public.reconciliations where tenant_id = $1 and id = $2 for no key update",
        [fixture.tenant, fixture.period],
      ],
    ],
    [
      () => fixture.call("POST", `reconciliations/${fixture.period}/close`),
      () =>
        fixture.call("POST", `sources/${fixture.left}/lines`, {
          body: { lines: [line("late", 21)] },
        }),
    ],
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const statement = await fixture.ok<Statement>(
    "GET",
    `reconciliations/${fixture.period}/statement`,
  );
  expect(statement.differences).toMatchObject([{ currency: "EUR", difference_minor: 0 }]);
  expect(statement.balances).toMatchObject([
    { side: "left", closing_minor: 1_000, outstanding_minor: 1_000 },
    { side: "right" },
  ]);
  const next = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
  expect(next.unmatched_count).toBe(2);
});

test("a period whose statement leaves a difference is not closed", async () => {
  const fixture = await Fixture.create();
  const lines = [
    ...(await fixture.add("left", [line("a", 10)])),
    ...(await fixture.add("right", [line("b", 10)])),
  ];
  await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
    body: { line_ids: lines },
  });
  await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
  const next = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
  // Without the triggers that protect closed periods, which our code never does.
  const database = new Client(superuserUrl());
  await database.connect();
  try {
    await database.query("set session_replication_role = replica");
    await database.query("update public.matches set residual_minor = 1 where tenant_id = $1", [
      fixture.tenant,
    ]);
  } finally {
    await database.end();
  }
  const refused = await fixture.call("POST", `reconciliations/${next.id}/close`);
  expectProblem(refused, "conflict");
  expect(refused.text).toContain("a difference of -1 in minor units of EUR");
});
