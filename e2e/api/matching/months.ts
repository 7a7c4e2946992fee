import fc from "fast-check";
import { expect } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { Fixture, line } from "./matching-fixture.ts";

/** Long past, so that every line is past its grace period on any day. */
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
type Kind = (typeof KINDS)[number] | "adjust" | "exclude";
export type Action = { kind: Kind; pick: number };

/** Random actions, including those of the kinds in `more`. */
export const actions = (...more: Kind[]) =>
  fc.array(
    fc.record<Action>({
      kind: fc.constantFrom(...KINDS, "add", "run", "run", "close", "close", "confirm", ...more),
      pick: fc.nat(10_000),
    }),
    { minLength: 14, maxLength: 22 },
  );

/** Every world begins with lines on both sides, their suggestions and their exceptions. */
export const BEGINNING: Action[] = [
  { kind: "add", pick: 1 },
  { kind: "add", pick: 2 },
  { kind: "run", pick: 0 },
];

type Period = { id: string; month: number; closed: boolean };

/** Months of one pair of sources, opened one after another. */
export class Months {
  readonly fixture: Fixture;
  private readonly periods: { id: string; month: number }[] = [];
  private lines = 0;

  private constructor(fixture: Fixture) {
    this.fixture = fixture;
  }

  static async create(): Promise<Months> {
    const fixture = await Fixture.create({ grace_days: 0 });
    // The fixture's period is years later than these, and empty.
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

  /** Adds three lines from a small vocabulary, so that amounts and references coincide. */
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

/** Performs an action. It may be refused with a reason, but must not fail. */
export async function perform(months: Months, { kind, pick }: Action): Promise<void> {
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
  else if (kind === "adjust" && period) await adjust(months, period.id, pick);
  else if (kind === "exclude" && period) {
    const excluded = one(await openLines(months, period.id));
    const body = { reason: "At random", reconciliation_id: period.id };
    if (excluded) await attempt(`lines/${excluded.id}/exclude`, body);
  } else if (kind === "run" && period) expect((await fixture.run(period.id)).failure).toBeNull();
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

type OpenLine = { id: string; side: "left" | "right"; open_minor: number };

async function openLines({ fixture }: Months, period: string): Promise<OpenLine[]> {
  const { items } = await fixture.ok<{ items: OpenLine[] }>(
    "GET",
    `reconciliations/${period}/open-lines`,
    { query: { limit: "50" } },
  );
  return items;
}

/** Matches a line of each side by hand, with their difference as a fee or a write-off. */
async function adjust(months: Months, period: string, pick: number): Promise<void> {
  const lines = await openLines(months, period);
  const [left, right] = (["left", "right"] as const).map((side) => {
    const ofSide = lines.filter((line) => line.side === side);
    return ofSide[pick % Math.max(1, ofSide.length)];
  });
  if (!left || !right) return;
  const amount_minor = left.open_minor - right.open_minor;
  const kind = pick % 2 === 0 ? "fee" : "write_off";
  const { status, text } = await months.fixture.call("POST", `reconciliations/${period}/matches`, {
    body: {
      line_ids: [left.id, right.id],
      adjustments: amount_minor === 0 ? [] : [{ kind, amount_minor }],
    },
  });
  expect([201, 409], text).toContain(status);
}
