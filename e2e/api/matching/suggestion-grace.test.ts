import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const EQUAL = { name: "Equal", kind: "exact", on: ["reference"], then: "suggest" };
const NEAR = {
  name: "Near",
  kind: "tolerance",
  on: ["reference"],
  amount_tolerance_minor: 500,
  then: "suggest",
};
const SEVERITIES = [
  { from_minor: 0, severity: "low" },
  { from_minor: 1000, severity: "medium" },
  { from_minor: 100_000, severity: "critical" },
];

/** A fixture with two new sources that no period compares yet. */
async function withOwnPair(grace_days: number): Promise<Fixture> {
  const fixture = await Fixture.create();
  fixture.left = (await fixture.source("Bank 2", { grace_days })).id;
  fixture.right = (await fixture.source("Ledger 2", { grace_days })).id;
  return fixture;
}

/** Open exceptions whose deadline differs from the policy's for their severity. */
function wrongDeadlines(tenant: string): Promise<object[]> {
  return sql(
    `select e.id, e.severity, e.due_at from public.exceptions e
     join public.sla_policies p on p.tenant_id = e.tenant_id
     where e.tenant_id = $1 and e.due_from_policy and e.status in ('open', 'in_review') and (
       e.calendar_id is distinct from private.policy_calendar(p, e.severity)
       or e.due_at <> private.policy_deadline(e, private.minutes_to_resolve(p, e.severity),
         e.calendar_no))`,
    [tenant],
  );
}

test(
  "a suggestion opens no exception before the grace period of all its lines is over",
  async () => {
    const fixture = await withOwnPair(3);
    const today = new Date().toISOString().slice(0, 10);
    const { id: period } = await fixture.bind({ period_start: "2020-01-01", period_end: today });
    await fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules: [EQUAL] } });
    await fixture.add("left", [line("a", 9000, { value_date: "2020-01-12", reference: "INV-7" })]);
    await fixture.add("right", [line("b", 9000, { value_date: today, reference: "INV-7" })]);
    expect(await fixture.run(period)).toMatchObject({
      suggested_count: 1,
      exceptions_opened: 0,
      exceptions_held_back: 0,
    });
  },
  SLOW,
);

test(
  "an exception's severity and deadline agree when its line joins or leaves a suggestion",
  async () => {
    const fixture = await withOwnPair(0);
    const { id: period } = await fixture.bind({
      period_start: "2020-01-01",
      period_end: "2020-01-31",
    });
    const ruled = (rules: object[]) =>
      fixture.ok("PUT", `reconciliations/${period}/rules`, {
        body: {
          rules,
          exceptions: { assigned_to: null, most_a_run: 100, severities: SEVERITIES },
        },
      });
    const amounts = [700, 5000, 99_900, 100_200, 500_000];
    await fixture.add(
      "left",
      amounts.map((minor, n) =>
        line(`a${n}`, minor, { value_date: "2020-01-12", reference: `INV-${n}` }),
      ),
    );
    await fixture.add(
      "right",
      amounts.map((minor, n) =>
        line(`b${n}`, minor + 300, { value_date: "2020-01-13", reference: `INV-${n}` }),
      ),
    );
    for (const rules of [[EQUAL], [EQUAL, NEAR], [EQUAL]]) {
      await ruled(rules);
      await fixture.run(period);
      expect(await wrongDeadlines(fixture.tenant)).toEqual([]);
    }
  },
  SLOW,
);
