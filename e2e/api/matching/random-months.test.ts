import fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { bookDifferences } from "./books.ts";
import { actions, BEGINNING, Months, perform } from "./months.ts";

const SLOW = 1_200_000;
/** MONTHS_SEED repeats a failure; WORLDS is the number of random histories. */
const SEED = Number(process.env.MONTHS_SEED ?? 43);
const WORLDS = Number(process.env.WORLDS ?? (WHOLE ? 30 : 3));

/**
 * Open exceptions and suggestions in a period to which their lines don't belong, with the reason.
 */
function misplaced(tenant: string): Promise<{ id: string; fault: string }[]> {
  return sql(
    `with work as (
       select e.id, e.reconciliation_id, max(o.value_date) as last_date
       from public.exceptions e
       left join private.exception_lines x on x.tenant_id = e.tenant_id and x.exception_id = e.id
       left join private.open_lines o
         on o.tenant_id = x.tenant_id and o.pair_no = x.pair_no and o.line_no = x.line_no
       where e.tenant_id = $1 and e.line_no is not null and e.status in ('open', 'in_review')
       group by e.tenant_id, e.id
       union all
       select m.id::text, m.reconciliation_id, max(o.value_date)
       from public.matches m
       join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
       left join private.open_lines o
         on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
       where m.tenant_id = $1 and m.state = 'suggested'
       group by m.tenant_id, m.id
     )
     select w.id, case
       when w.last_date is null then 'none of its lines is open'
       when w.last_date > r.period_end then 'its period ends before its lines'
       else 'its period is closed, and a later one is open' end as fault
     from work w
     join public.reconciliations r on r.tenant_id = $1 and r.id = w.reconciliation_id
     where w.last_date is null or w.last_date > r.period_end
       or r.closed_at is not null and exists (
         select from public.reconciliations later
         where later.tenant_id = $1 and later.pair_no = r.pair_no
           and later.period_start > r.period_end and later.closed_at is null
           and later.status <> 'archived')`,
    [tenant],
  );
}

/** Open lines of an open period that have no open exception. */
function withoutException(tenant: string): Promise<object[]> {
  return sql(
    `select o.line_no, o.value_date from private.open_lines o
     where o.tenant_id = $1
       and o.value_date <= (
         select max(r.period_end) from public.reconciliations r
         where r.tenant_id = $1 and r.closed_at is null and r.status <> 'archived')
       and not exists (
         select from private.exception_lines x
         join public.exceptions e on e.tenant_id = x.tenant_id and e.id = x.exception_id
         where x.tenant_id = o.tenant_id and x.pair_no = o.pair_no and x.line_no = o.line_no
           and e.status in ('open', 'in_review'))`,
    [tenant],
  );
}

/** How often an exception moved to another period. */
async function movedCount(tenant: string): Promise<number> {
  const [row = { n: 0 }] = await sql<{ n: number }>(
    `select count(*)::integer as n from public.exception_history h
     where h.tenant_id = $1 and h.changes ? 'reconciliation_id'
       and h.changes #>> '{reconciliation_id,from}' is not null`,
    [tenant],
  );
  return row.n;
}

test(
  "after any close, reopening or late line, open lines have exceptions in their own period",
  async () => {
    console.info(`Months at random: seed ${SEED}, ${WORLDS} worlds.`);
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(actions(), async (chosen) => {
        const months = await Months.create();
        const { tenant } = months.fixture;
        for (const action of [...BEGINNING, ...chosen]) {
          await perform(months, action);
          expect(await misplaced(tenant), JSON.stringify(action)).toEqual([]);
        }
        for (const { id, closed } of await months.all())
          if (!closed) expect((await months.fixture.run(id)).failure).toBeNull();
        expect(await misplaced(tenant)).toEqual([]);
        expect(await withoutException(tenant)).toEqual([]);
        expect(await bookDifferences(tenant)).toEqual([]);
        moved += await movedCount(tenant);
      }),
      { numRuns: WORLDS, seed: SEED, endOnFailure: true },
    );
    expect(moved, "exceptions moved at all").toBeGreaterThan(0);
  },
  SLOW,
);
