import fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { bookDifferences } from "./books.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 1_200_000;
/** MONTHS_SEED repeats a failure; WORLDS looks longer. */
const SEED = Number(process.env.MONTHS_SEED ?? 43);
const WORLDS = Number(process.env.WORLDS ?? (WHOLE ? 30 : 3));

/** Long past, so that every line is past its grace whatever the day is. */
const MONTHS = ["2020-01", "2020-02", "2020-03", "2020-04"] as const;
const LAST_DAYS = ["31", "29", "31", "30"] as const;

const KINDS = [
  "add",
  "late",
  "run",
  "confirm",
  "reject",
  "undo",
  "open",
  "close",
  "reopen",
] as const;
type Act = { kind: (typeof KINDS)[number]; pick: number };

const acts = fc.array(
  fc.record<Act>({
    kind: fc.constantFrom(...KINDS, "add", "run", "run", "close", "close", "confirm"),
    pick: fc.nat(10_000),
  }),
  { minLength: 14, maxLength: 22 },
);

/** Every world begins with lines on both sides, their suggestions and their exceptions. */
const BEGINNING: Act[] = [
  { kind: "add", pick: 1 },
  { kind: "add", pick: 2 },
  { kind: "run", pick: 0 },
];

type Period = { id: string; month: number; closed: boolean };

/** Months of one pair of sources, opened one after another. */
class Months {
  readonly fixture: Fixture;
  private readonly periods: { id: string; month: number }[] = [];
  private lines = 0;

  private constructor(fixture: Fixture) {
    this.fixture = fixture;
  }

  static async create(): Promise<Months> {
    const fixture = await Fixture.create({ grace_days: 0 });
    // The fixture's period lies years after these, and holds nothing.
    await fixture.ok("PATCH", `reconciliations/${fixture.period}`, {
      body: { status: "archived" },
    });
    const months = new Months(fixture);
    await months.openNext();
    return months;
  }

  async openNext(): Promise<void> {
    const month = this.periods.length;
    const name = MONTHS[month];
    if (name === undefined) return;
    const { id } = await this.fixture.bind({
      period_start: `${name}-01`,
      period_end: `${name}-${LAST_DAYS[month]}`,
    });
    this.periods.push({ id, month });
  }

  async all(): Promise<Period[]> {
    const closed = await sql<{ id: string }>(
      "select id from public.reconciliations where tenant_id = $1 and closed_at is not null",
      [this.fixture.tenant],
    );
    const ids = new Set(closed.map(({ id }) => id));
    return this.periods.map((period) => ({ ...period, closed: ids.has(period.id) }));
  }

  /** Three lines of a small vocabulary, so that amounts and references meet. */
  async add(month: number, pick: number): Promise<void> {
    const side = pick % 2 === 0 ? "left" : "right";
    await this.fixture.add(
      side,
      [0, 17, 34].map((more) => {
        const n = pick + more;
        return line(`x${this.lines++}`, [100, 100, 250, 350][n % 4] as number, {
          ...(n % 3 !== 0 && { reference: `R${n % 5}` }),
          counterparty: `C${n % 3}`,
          value_date: `${MONTHS[month]}-${String(1 + (n % 28)).padStart(2, "0")}`,
        });
      }),
    );
  }
}

/** What is refused is refused with a reason. */
async function perform(months: Months, { kind, pick }: Act): Promise<void> {
  const { fixture } = months;
  const periods = await months.all();
  const one = <Item>(items: readonly Item[]) => items[pick % Math.max(1, items.length)];
  const attempt = async (path: string, body: object = {}) => {
    const { status, text } = await fixture.call("POST", path, { body });
    expect([200, 201, 202, 409], `${path} ${text}`).toContain(status);
  };
  const open = periods.filter(({ closed }) => !closed);
  const period = one(open);
  if (kind === "open") await months.openNext();
  else if (kind === "add") await months.add(one(periods)?.month ?? 0, pick);
  else if (kind === "late") await months.add(0, pick);
  else if (kind === "run" && period) expect((await fixture.run(period.id)).failure).toBeNull();
  else if (kind === "close" && open[0]) await attempt(`reconciliations/${open[0].id}/close`);
  else if (kind === "reopen") {
    const last = periods.findLast(({ closed }) => closed);
    if (last) await attempt(`reconciliations/${last.id}/reopen`, { reason: "At random" });
  } else if ((kind === "confirm" || kind === "reject" || kind === "undo") && period) {
    const state = kind === "undo" ? "confirmed" : "suggested";
    const match = one(await fixture.matches({ state }, period.id));
    if (match) await attempt(`matches/${match.id}/${kind}`);
  }
}

/** Open exceptions and suggestions of a period that can't hold their lines, with the reason. */
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

/** Open lines that an open period holds and that no open exception is about. */
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

/** How often an exception went to another period. */
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
      fc.asyncProperty(acts, async (chosen) => {
        const months = await Months.create();
        const { tenant } = months.fixture;
        for (const act of [...BEGINNING, ...chosen]) {
          await perform(months, act);
          expect(await misplaced(tenant), JSON.stringify(act)).toEqual([]);
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
