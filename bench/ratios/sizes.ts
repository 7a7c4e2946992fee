import { creating } from "#e2e/exception-statements.ts";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import { median } from "./rates.ts";
import type { Section } from "./report.ts";

const SIZES = [1_000, 100_000, 1_000_000];
const READS: Record<string, string> = {
  "the board of 50 items with its summary": "/v1/exceptions/sla",
  "the board of one assignee": "/v1/exceptions/sla?assigned_to=user:u3",
  "the list": "/v1/exceptions",
};
const SEARCH = "/v1/exceptions?q=payout+4711";
const ROUNDS = 40;
const WARM_ROUNDS = 5;
const MAX_RATIO = 1.3;
/** Rows per statement: the owner's statements have the same time limit as a caller's. */
const BATCH = 50_000;

type Sized = { size: number; tenant: string; bearer: string };

/**
 * How the number of a tenant's open exceptions affects calls; tenants of each size take turns.
 */
export async function sizes(): Promise<Section> {
  const tenants: Sized[] = [];
  for (const size of SIZES) tenants.push(await tenantOf(size));
  for (const table of ["public.exceptions", "private.exception_clocks"])
    await sql(`vacuum analyze ${table}`);
  const findings = [];
  for (const [name, path] of Object.entries(READS)) {
    const medians = await mediansOf(tenants, path);
    const ratio = (medians.at(-1) ?? Number.NaN) / (medians[0] ?? Number.NaN);
    findings.push({
      name,
      ours: medians.map((ms, index) => `${format(SIZES[index])}: ${ms.toFixed(1)} ms`).join(", "),
      against: "",
      figure: ratio.toFixed(2),
      target: `≤ ${MAX_RATIO}`,
      met: ratio <= MAX_RATIO,
    });
  }
  const [search] = await mediansOf(tenants.slice(-1), SEARCH);
  findings.push({
    name: `a search among ${format(SIZES.at(-1))}`,
    ours: `${search?.toFixed(1)} ms`,
    against: "",
    figure: `${search?.toFixed(1)} ms`,
    target: null,
    met: null,
  });
  return {
    title: "2. Large tenants",
    how:
      `Medians of ${ROUNDS} calls, one at a time, tenants in turns. ` +
      "The figure is the largest tenant's by the smallest's.",
    findings,
  };
}

async function mediansOf(tenants: Sized[], path: string): Promise<number[]> {
  const times = tenants.map(() => [] as number[]);
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    for (const [index, { tenant, bearer }] of tenants.entries()) {
      const startedAt = performance.now();
      const { status } = await api("GET", path, { bearer, tenant });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      if (round >= 0) times[index]?.push(performance.now() - startedAt);
    }
  }
  return times.map(median);
}

export async function tenantOf(size: number): Promise<Sized> {
  const tenant = await createTenant();
  for (let from = 0; from < size; from += BATCH) {
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'Payout ' || i, 'severity',
           (array['critical','high','medium','low'])[1 + i % 4], 'due_at',
           now() + interval '1 day' * (i::float8 / $2) * 20 - interval '1 day', 'assigned_to',
           case when i % 7 > 0 then 'user:u' || i % 7 end, 'created_by', 'user:bench'`,
        `generate_series($3::int, $4::int) i`,
      ),
      [tenant, size, from + 1, Math.min(size, from + BATCH)],
    );
  }
  while (
    (await sql<{ tick: { moved: number } }>("select private.tick_sla_clock(20000) as tick"))[0]
      ?.tick.moved
  ) {}
  return { size, tenant, bearer: await userToken(tenant, ["tenant_lead"]) };
}

function format(size: number | undefined): string {
  return size?.toLocaleString("en") ?? "";
}
