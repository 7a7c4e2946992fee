import { expect } from "vitest";
import { api, createTenant, sql, uniqueName, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Line } from "#lib/lines/contract.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { PeriodProof } from "#lib/matching/periods/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";

export type NewLine = {
  external_id: string;
  amount_minor: number;
  fee_minor?: number;
  value_date: string;
  reference?: string;
  counterparty?: string;
  description?: string;
  group_key?: string;
  currency?: string;
};

/** A run may wait for a slot of a busy machine. */
export const RUN_TIMEOUT_MS = 180_000;

/**
 * Two sources of a new tenant and the period that compares them; runs are only started explicitly.
 */
export class Fixture {
  readonly tenant: string;
  readonly admin: string;
  left = "";
  right = "";
  period = "";

  private constructor(tenant: string, admin: string) {
    this.tenant = tenant;
    this.admin = admin;
  }

  static async create({ sign = "as_is", grace_days = 3 } = {}): Promise<Fixture> {
    const tenant = await createTenant();
    const fixture = new Fixture(tenant, await userToken(tenant, ["tenant_admin"]));
    fixture.left = (await fixture.source("Bank", { grace_days })).id;
    fixture.right = (await fixture.source("Ledger", { sign, grace_days })).id;
    fixture.period = (await fixture.bind()).id;
    return fixture;
  }

  as(roles: Parameters<typeof userToken>[1], name: string): Promise<string> {
    return userToken(this.tenant, roles, name);
  }

  call(
    method: string,
    path: string,
    {
      body,
      query,
      bearer = this.admin,
    }: { body?: object; query?: Record<string, string>; bearer?: string } = {},
  ) {
    return api(method, `/v1/${path}`, { bearer, tenant: this.tenant, body, query });
  }

  /** @returns the response's body. Fails the test unless the call succeeds. */
  async ok<Body>(
    method: string,
    path: string,
    options: Parameters<Fixture["call"]>[2] = {},
  ): Promise<Body> {
    const answer = await this.call(method, path, options);
    expect([200, 201, 202], `${method} ${path}: ${answer.text}`).toContain(answer.status);
    return answer.json as Body;
  }

  source(name: string, fields: object = {}): Promise<{ id: string }> {
    return this.ok("POST", "sources", {
      body: { name, kind: "ledger", currency: "EUR", ...fields },
    });
  }

  bind(fields: object = {}): Promise<Reconciliation> {
    return this.ok("POST", "reconciliations", {
      body: {
        name: uniqueName("Period"),
        period_start: "2026-10-01",
        period_end: "2026-10-31",
        left_source_id: this.left,
        right_source_id: this.right,
        auto_run: false,
        ...fields,
      },
    });
  }

  /** Adds this many lines directly in the database: the nth of each source has reference `R<n>`. */
  async fill(counts: Record<string, number>): Promise<void> {
    for (const [source, count] of Object.entries(counts))
      await sql(
        `insert into public.lines (tenant_id, id, source_no, amount_minor, currency, value_date,
           reference)
         select s.tenant_id, gen_random_uuid(), s.source_no, i, 'EUR', date '2026-10-01' + i % 7,
           'R' || i
         from public.sources s, generate_series(1, $3::integer) i where s.tenant_id = $1
           and s.id = $2`,
        [this.tenant, source, count],
      );
  }

  /** @returns the period once all lines of its sources are open in it. */
  prepared(period = this.period): Promise<Reconciliation> {
    return until(
      `${period} is prepared`,
      async () => {
        const found = await this.reconciliation(period);
        return !found.preparing && found;
      },
      RUN_TIMEOUT_MS,
    );
  }

  async add(side: "left" | "right", lines: readonly NewLine[]): Promise<string[]> {
    const { items } = await this.ok<{ items: { id: string }[] }>(
      "POST",
      `sources/${this[side]}/lines`,
      { body: { lines } },
    );
    return items.map(({ id }) => id);
  }

  async run(period = this.period, body: object = {}): Promise<Run> {
    return this.ended(await this.ok<Run>("POST", `reconciliations/${period}/runs`, { body }));
  }

  ended({ id }: Run): Promise<Run> {
    return until(
      `run ${id} is done`,
      async () => {
        const run = await this.ok<Run>("GET", `runs/${id}`);
        return (run.status === "done" || run.status === "failed") && run;
      },
      RUN_TIMEOUT_MS,
    );
  }

  async matches(query: Record<string, string> = {}, period = this.period): Promise<Match[]> {
    return (
      await this.ok<{ items: Match[] }>("GET", `reconciliations/${period}/matches`, {
        query: { limit: "250", ...query },
      })
    ).items;
  }

  line(id: string): Promise<Line> {
    return this.ok("GET", `lines/${id}`);
  }

  proof(period = this.period): Promise<PeriodProof> {
    return this.ok("GET", `reconciliations/${period}/proof`);
  }

  reconciliation(period = this.period): Promise<Reconciliation> {
    return this.ok("GET", `reconciliations/${period}`);
  }
}

/** A line of October, with any fields that the test sets. */
export function line(
  external_id: string,
  amount_minor: number,
  fields: Partial<NewLine> = {},
): NewLine {
  return { external_id, amount_minor, value_date: "2026-10-12", ...fields };
}

/**
 * A realistic month. Most lines have an equal counterpart; others agree only in amount and name,
 * are split in two, differ by 35, or have no counterpart.
 */
export function month(count: number): { left: NewLine[]; right: NewLine[] } {
  const left: NewLine[] = [];
  const right: NewLine[] = [];
  const day = (n: number) => `2026-10-${String(1 + (n % 27)).padStart(2, "0")}`;
  for (let n = 0; n < count; n++) {
    const amount = 1000 + ((n * 7919) % 90_000);
    const common = { counterparty: `Customer ${n % 17}`, value_date: day(n) };
    const kind = n % 10;
    left.push(line(`l${n}`, amount, { ...common, reference: `INV-${n}` }));
    if (kind < 6) right.push(line(`r${n}`, amount, { ...common, reference: `INV-${n}` }));
    else if (kind === 6)
      right.push(
        line(`r${n}`, amount, { ...common, reference: `Payment ${n}`, value_date: day(n + 1) }),
      );
    else if (kind === 7)
      right.push(
        line(`r${n}a`, amount - 400, { ...common, group_key: `b${n}` }),
        line(`r${n}b`, 400, { ...common, group_key: `b${n}` }),
      );
    else if (kind === 8)
      right.push(line(`r${n}`, amount + 35, { ...common, reference: `INV-${n}` }));
  }
  return { left, right };
}
