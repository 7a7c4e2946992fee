import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { ENTRY_KINDS } from "#lib/wire/facts.gen.ts";
import { actions, BEGINNING, Months, perform } from "../matching/months.ts";

const SLOW = 1_200_000;
/** MONTHS_SEED repeats a failure; WORLDS is the number of random histories. */
const SEED = Number(process.env.MONTHS_SEED ?? 44);
const WORLDS = Number(process.env.WORLDS ?? (WHOLE ? 30 : 2));

const RULES = Object.fromEntries(
  ENTRY_KINDS.map((kind, at) => [
    kind,
    { account: `${4000 + at}`, counter_account: "1200", text: "{kind} {reference}" },
  ]),
);

/**
 * By period and kind, the amounts that closed periods decided and those of their entries, where
 * they differ.
 */
function postingDifferences(tenant: string): Promise<object[]> {
  return sql(
    `with decided as (
       select m.reconciliation_id, a.value ->> 'kind' as kind,
         (a.value ->> 'amount_minor')::bigint as minor
       from public.matches m cross join jsonb_array_elements(m.adjustments) a
       where m.tenant_id = $1 and m.state = 'confirmed'
       union all
       select m.reconciliation_id, 'residual', m.residual_minor from public.matches m
       where m.tenant_id = $1 and m.state = 'confirmed'
       union all
       select x.reconciliation_id, 'excluded_' || x.side,
         case x.side when 'left' then x.excluded_minor else -x.excluded_minor end
       from public.exclusions x where x.tenant_id = $1
     ), posted as (
       select e.reconciliation_id, e.kind, e.difference_minor as minor from public.entries e
       where e.tenant_id = $1 and e.kind not like 'carried%'
     )
     select r.id, x.kind, sum(x.decided) as decided, sum(x.posted) as posted from (
       select d.reconciliation_id, d.kind, d.minor as decided, 0 as posted from decided d
       union all
       select p.reconciliation_id, p.kind, 0, p.minor from posted p
     ) x
     join public.reconciliations r on r.tenant_id = $1 and r.id = x.reconciliation_id
       and r.closed_at is not null
     group by r.id, x.kind having sum(x.decided) <> sum(x.posted)`,
    [tenant],
  );
}

/** Lines that the last close carried and no entry posts as open, or the reverse. */
function carryDifferences(tenant: string): Promise<object[]> {
  return sql(
    `with last_close as (
       select s.* from public.statements s where s.tenant_id = $1
       order by s.closed_at desc, s.number desc limit 1
     ), carried as (
       select private.line_id_text(l.id) as line,
         case c.side when 'left' then c.open_minor else -c.open_minor end as minor
       from last_close s
       join public.carried_lines c on c.tenant_id = $1 and c.reconciliation_id = s.reconciliation_id
       join public.lines l on l.tenant_id = $1 and l.line_no = c.line_no
     ), standing as (
       select e.subject_id as line, sum(e.difference_minor) as minor from public.entries e
       where e.tenant_id = $1 and e.kind like 'carried%'
       group by 1 having sum(e.difference_minor) <> 0
     )
     select * from carried c full join standing s using (line)
     where c.minor is distinct from s.minor
       and exists (select from last_close x where x.reopened_at is null)`,
    [tenant],
  );
}

type StoredBatch = { id: string; number: number; year: number; digest: string; debit: string };

/** Expects numbers without a gap, and batches that match what their statements signed. */
async function expectSound(tenant: string): Promise<number> {
  const batches = await sql<StoredBatch>(
    `select b.id, b.number, b.year, s.statement #>> '{entries,sha256}' as digest,
       (select sum((x ->> 'debit_minor')::bigint) from jsonb_array_elements(b.sums) x) as debit
     from public.entry_batches b
     join public.statements s on s.tenant_id = b.tenant_id
       and s.reconciliation_id = b.reconciliation_id and s.number = b.statement_number
     where b.tenant_id = $1 order by b.year, b.number`,
    [tenant],
  );
  for (const [year, ofYear] of Map.groupBy(batches, ({ year }) => year))
    expect(
      ofYear.map(({ number }) => number),
      `${year}`,
    ).toEqual(ofYear.map((_, at) => at + 1));
  for (const { id, digest, debit } of batches) {
    const rows = await sql<{ text: string; amount: string }>(
      `select private.entry_row(e) as text, e.amount_minor as amount
       from public.entries e where e.batch_id = $1 order by e.place`,
      [id],
    );
    const hash = createHash("sha256");
    for (const { text } of rows) hash.update(createHash("sha256").update(text).digest());
    expect(hash.digest("hex")).toBe(digest);
    expect(rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(BigInt(debit));
  }
  return batches.length;
}

test(
  "batches and reversals add up to what closed periods adjusted, excluded and carried, without a gap",
  async () => {
    console.info(`Entries of months at random: seed ${SEED}, ${WORLDS} worlds.`);
    let batches = 0;
    let reversals = 0;
    await fc.assert(
      fc.asyncProperty(actions("adjust", "adjust", "exclude", "reopen"), async (chosen) => {
        const months = await Months.create();
        const { fixture } = months;
        const [first] = await months.all();
        await fixture.ok("PUT", `reconciliations/${first?.id}/entry-rules`, {
          body: { rules: RULES },
        });
        for (const action of [...BEGINNING, ...chosen]) {
          await perform(months, action);
          if (action.kind !== "close" && action.kind !== "reopen") continue;
          expect(await postingDifferences(fixture.tenant), JSON.stringify(action)).toEqual([]);
          expect(await carryDifferences(fixture.tenant), JSON.stringify(action)).toEqual([]);
        }
        batches += await expectSound(fixture.tenant);
        const [row = { n: 0 }] = await sql<{ n: number }>(
          `select count(*)::integer as n from public.entries where tenant_id = $1
             and reverses_batch is not null`,
          [fixture.tenant],
        );
        reversals += row.n;
      }),
      { numRuns: WORLDS, seed: SEED, endOnFailure: true },
    );
    console.info(`${batches} batches, ${reversals} reversals.`);
    expect(batches, "batches at all").toBeGreaterThan(0);
    expect(reversals, "reversals at all").toBeGreaterThan(0);
  },
  SLOW,
);
