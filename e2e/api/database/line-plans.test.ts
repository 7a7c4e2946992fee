import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import { Explainer } from "./explained.ts";

/** The number of lines of a side: all open in one period, all matched in another. */
const LINES = 10_000;
/** Enough for a page, the rows that its filters skip, and the rows with a rare word. */
const MAX_ROWS_READ = 1_000;
const explainer = new Explainer(/^(lines|line_texts|open_lines|matches|match_members)$/, {
  enable_seqscan: "off",
});

let tenant: string;
/** All lines of `period` are open, of `closed` were open at its close, of `matched` are matched. */
let period: string;
let closed: string;
let matched: string;
let source: string;
let farLineId: string;

beforeAll(async () => {
  tenant = await createTenant();
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const posted = async (path: string, body: object) =>
    (await api("POST", path, { bearer, tenant, body })).json as { id: string };
  const periodOf = async (name: string) => {
    const [left, right] = [
      await posted("/v1/sources", { name: `${name}: bank`, kind: "ledger", currency: "EUR" }),
      await posted("/v1/sources", { name: `${name}: ledger`, kind: "ledger", currency: "EUR" }),
    ];
    source = left.id;
    const named = { left_source_id: left.id, right_source_id: right.id, auto_run: false };
    return (
      await posted("/v1/reconciliations", {
        name,
        period_start: "2026-10-01",
        period_end: "2026-10-31",
        ...named,
      })
    ).id;
  };
  [closed, matched, period] = [
    await periodOf("Closed"),
    await periodOf("Matched"),
    await periodOf("Open"),
  ];
  await sql(
    `insert into public.lines (tenant_id, id, source_no, amount_minor, currency, value_date,
       reference, counterparty)
     select $1, gen_random_uuid(), s.source_no, 1000 + i * 7919 % 900000, 'EUR',
       date '2026-10-01' + i % 31, 'RG-' || i, 'Customer ' || i % 97
     from public.sources s cross join generate_series(1, $2::int) i where s.tenant_id = $1`,
    [tenant, LINES],
  );
  await sql("update public.sources set line_count = $2 where tenant_id = $1", [tenant, LINES]);
  await sql(
    `insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
       open_minor, value_date)
     select l.tenant_id, p.pair_no, l.line_no, case l.source_no when p.left_source_no then 'left'
       else 'right' end, l.currency, l.amount_minor,
       l.amount_minor, l.value_date
     from public.lines l join public.pairs p on p.tenant_id = l.tenant_id
       and l.source_no in (p.left_source_no, p.right_source_no)
     join public.reconciliations r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no
     where l.tenant_id = $1 and r.id <> $2`,
    [tenant, matched],
  );
  await sql(
    `with twins as materialized (
       select private.new_uuid() as id, p.pair_no, array_agg(l.line_no) as line_nos, l.reference,
         min(l.amount_minor) as amount_minor
       from public.reconciliations r join public.pairs p on p.tenant_id = r.tenant_id
         and p.pair_no = r.pair_no
       join public.lines l on l.tenant_id = p.tenant_id
         and l.source_no in (p.left_source_no, p.right_source_no)
       where r.tenant_id = $1 and r.id = $2 group by p.pair_no, l.reference
     ), made as (
       insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
         settled, currency, amount_minor, created_by)
       select $1, t.id, t.pair_no, $2, 'confirmed', '1:1', 'exact', true, 'EUR', t.amount_minor,
         'system' from twins t
     ), counted as (
       insert into private.matched_counts (tenant_id, reconciliation_id, lines) select $1, $2,
         2 * count(*) from twins
     )
     insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
     select $1, t.id, t.pair_no, x.line_no, case x.n when 1 then 'left' else 'right' end,
       t.amount_minor
     from twins t cross join unnest(t.line_nos) with ordinality x (line_no, n)`,
    [tenant, matched],
  );
  await sql(
    `insert into private.line_texts (tenant_id, line_no, source_no, text) select l.tenant_id,
       l.line_no, l.source_no, private.line_text(l) from public.lines l where l.tenant_id = $1`,
    [tenant],
  );
  expect(
    (await api("POST", `/v1/reconciliations/${closed}/close`, { bearer, tenant })).status,
  ).toBe(200);
  farLineId =
    (
      await sql<{ id: string }>(
        `select private.line_id_text(id) as id from public.lines where tenant_id = $1
           and value_date = '2026-10-20' order by line_no limit 1`,
        [tenant],
      )
    )[0]?.id ?? "";
  await explainer.open();
});
afterAll(() => explainer.close());

const open = (input: object) =>
  ["list_open_lines", () => ({ id: period, limit: 50, sort: "value_date", ...input })] as const;
const lines = (input: () => object) => ["list_lines", () => ({ limit: 50, ...input() })] as const;
const CALLS: Record<string, readonly [verb: string, input: () => object]> = {
  "what is open, oldest first": open({ side: "left" }),
  "what is open on both sides": open({}),
  "what is open, most money first": open({ side: "right", sort: "amount" }),
  "what is open with a suggestion": open({ side: "left", suggested: "true" }),
  "what is open without one": open({ side: "left", suggested: "false" }),
  "a far page of what is open": [
    "list_open_lines",
    () => ({
      id: period,
      limit: 50,
      sort: "value_date",
      side: "left",
      after: ["2026-10-20", farLineId],
    }),
  ],
  "a far page by money": [
    "list_open_lines",
    () => ({ id: period, limit: 50, sort: "amount", side: "left", after: ["450000", farLineId] }),
  ],
  "a source's lines": lines(() => ({ source_id: source })),
  "a far page of a source's lines": lines(() => ({
    source_id: source,
    after: ["2026-10-20", farLineId],
  })),
  "a source's open lines": lines(() => ({ source_id: source, state: "open" })),
  "a tenant's lines": lines(() => ({})),
  "a tenant's open lines": lines(() => ({ state: "open" })),
  "a far page of a tenant's outstanding lines": lines(() => ({
    state: "outstanding",
    after: ["2026-10-20", farLineId],
  })),
  "a tenant's excluded lines where there are none": lines(() => ({ state: "excluded" })),
  "a source's lines with a rare word": lines(() => ({ source_id: source, q: "rg-4711" })),
  "a source's lines with a rare and a short word": lines(() => ({
    source_id: source,
    q: "rg-4711 cu",
  })),
  "a period's lines with a rare amount": lines(() => ({ reconciliation_id: period, q: "407.11" })),
  "a period's outstanding lines": lines(() => ({
    reconciliation_id: period,
    state: "outstanding",
  })),
  "a far page of a side's outstanding lines": lines(() => ({
    reconciliation_id: period,
    state: "outstanding",
    side: "right",
    after: ["2026-10-20", farLineId],
  })),
  "a tenant's lines that changed lately": lines(() => ({
    // Later than every line by more than an hour, the longest time that a transaction may take.
    updated_since: new Date(Date.now() + 2 * 3_600_000).toISOString(),
  })),
  "a period's lines": lines(() => ({ reconciliation_id: matched })),
  "a period's matched lines": lines(() => ({ reconciliation_id: matched, state: "matched" })),
  "a far page of a side's matched lines": lines(() => ({
    reconciliation_id: matched,
    state: "matched",
    side: "right",
    after: ["2026-10-20", farLineId],
  })),
  "matched lines where there are none": lines(() => ({
    reconciliation_id: period,
    state: "matched",
  })),
  "excluded lines where there are none": lines(() => ({
    reconciliation_id: matched,
    state: "excluded",
  })),
  "a closed period's lines": lines(() => ({ reconciliation_id: closed })),
  "a closed period's outstanding lines": lines(() => ({
    reconciliation_id: closed,
    state: "outstanding",
  })),
  "a far page of a closed period's open lines": lines(() => ({
    reconciliation_id: closed,
    state: "open",
    after: ["2026-10-20", farLineId],
  })),
};

const TABLES = [
  "public.lines",
  "private.open_lines",
  "private.line_texts",
  "public.matches",
  "public.match_members",
  "public.carried_lines",
];

/** With table statistics from before this tenant existed, and with current ones. */
describe.each([
  ["of other tenants", []],
  ["of these lines", TABLES],
])("with 10,000 lines a side and statistics %s", (_what, analyzed) => {
  beforeAll(async () => {
    for (const table of analyzed) await sql(`analyze ${table}`);
  });

  test.each(Object.entries(CALLS))(
    "%s reads and sorts no more than a page needs",
    async (_call, [verb, input]) => {
      expect(await explainer.excessiveReads(tenant, verb, input(), MAX_ROWS_READ)).toEqual([]);
    },
  );

  test.each(Object.entries(CALLS))(
    "%s reads and joins each table by the tenant",
    async (_call, [verb, input]) => {
      expect(await explainer.acrossTenants(tenant, verb, input())).toEqual([]);
    },
  );
});

test.each<[string, () => object]>([
  ["a source", () => ({ source_id: source })],
  ["a period", () => ({ reconciliation_id: matched })],
])("a page of 250 lines of %s needs no more statements than one of 2", async (_, of) => {
  const count = (limit: number) =>
    explainer.countStatements(tenant, "list_lines", { ...of(), limit });
  expect(await count(250)).toBe(await count(2));
});
