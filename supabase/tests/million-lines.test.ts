import { beforeAll, describe, expect, test } from "vitest";
import { databaseWithTwoTenants } from "../../bin/dev/migration/search-database.ts";

// How much lists read for a tenant with a million lines, half of them matched and half open.

const SIDE = 250_000;
/**
 * Pages of 8 kB, enough for 51 lines with their states and matches, each found by a few indexes of
 * three to four levels.
 */
const MAX_PAGES = 3_000;
const MATCHED = "rcn_00000000000000000000000000000001";
const OPEN = "rcn_00000000000000000000000000000002";
const MINUTE = 60_000;
/** A value date in the middle of each side. */
const FAR = "2026-10-16";
const BEFORE_ALL = "lin_00000000000000000000000000000000";
const NO_CURRENCY = "XAU";
const NO_AMOUNT = 99_000_000;

const database = databaseWithTwoTenants(`
  alter table public.lines disable trigger user;
  alter table private.open_lines disable trigger user;
  alter table public.matches disable trigger user;
  alter table public.match_members disable trigger user;
  insert into public.sources (tenant_id, name, kind, currency, line_count)
  select 'acme', 'Source ' || n, 'ledger', 'EUR', ${SIDE} from generate_series(1, 4) n order by n;
  insert into public.pairs (tenant_id, left_source_no, right_source_no)
  select 'acme', min(source_no), max(source_no)
  from (select source_no, row_number() over (order by source_no) as place from public.sources) one
  group by (place - 1) / 2 order by 2;
  insert into public.reconciliations (id, tenant_id, name, period_start, period_end, left_source,
    right_source, pair_no, left_source_id, right_source_id)
  select 'rcn_' || lpad((row_number() over (order by pair.pair_no))::text, 32, '0'), 'acme',
    'Pair ' || pair.pair_no, '2026-10-01', '2026-10-31', from_left.name, from_right.name,
    pair.pair_no, from_left.id, from_right.id
  from public.pairs pair
  join public.sources from_left on from_left.source_no = pair.left_source_no
  join public.sources from_right on from_right.source_no = pair.right_source_no
  where pair.tenant_id = 'acme';
  insert into public.lines (tenant_id, id, source_no, amount_minor, currency, value_date, reference)
  select 'acme', gen_random_uuid(), source.source_no, 1000 + n * 7919 % 900000, 'EUR',
    date '2026-10-01' + n % 31, 'RG-' || n
  from generate_series(1, ${SIDE}) n cross join public.sources source;
  create temporary table twins as
  select private.new_uuid() as id, period.id as period_id, pair.pair_no, from_left.line_no as l,
    from_right.line_no as r, from_left.amount_minor, from_left.value_date
  from public.reconciliations period
  join public.pairs pair on pair.pair_no = period.pair_no
  join public.lines from_left on from_left.source_no = pair.left_source_no
  join public.lines from_right on from_right.source_no = pair.right_source_no
    and from_right.reference = from_left.reference;
  insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
    open_minor, value_date)
  select 'acme', pair_no, line_no, side, 'EUR', amount_minor, amount_minor, value_date
  from twins cross join lateral (values ('left', l), ('right', r)) one (side, line_no)
  where period_id = '${OPEN}';
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    settled, currency, amount_minor, created_by)
  select 'acme', id, pair_no, period_id, 'confirmed', '1:1', 'exact', true, 'EUR', amount_minor,
    'system'
  from twins where period_id = '${MATCHED}';
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select 'acme', id, pair_no, line_no, side, amount_minor
  from twins cross join lateral (values ('left', l), ('right', r)) one (side, line_no)
  where period_id = '${MATCHED}';
  insert into private.matched_counts (tenant_id, reconciliation_id, lines)
  values ('acme', '${MATCHED}', ${2 * SIDE})`);

const CALLS: Record<string, readonly [verb: string, input: object]> = {
  "a tenant's lines": ["list_lines", {}],
  "a far page of a tenant's lines": ["list_lines", { after: [FAR, BEFORE_ALL] }],
  "a tenant's open lines": ["list_lines", { state: "open" }],
  "a tenant's matched lines": ["list_lines", { state: "matched" }],
  "a tenant's partly matched lines": ["list_lines", { state: "partly_matched" }],
  "a period's partly matched lines": [
    "list_lines",
    { reconciliation_id: OPEN, state: "partly_matched" },
  ],
  "a tenant's excluded lines where there are none": ["list_lines", { state: "excluded" }],
  "a period's matched lines": ["list_lines", { reconciliation_id: MATCHED, state: "matched" }],
  "a period's open lines": ["list_lines", { reconciliation_id: OPEN, state: "open" }],
  "a far page of a side's open lines": [
    "list_lines",
    { reconciliation_id: OPEN, state: "open", side: "right", after: [FAR, BEFORE_ALL] },
  ],
  "open lines where there are none": ["list_lines", { reconciliation_id: MATCHED, state: "open" }],
  "matched lines where there are none": [
    "list_lines",
    { reconciliation_id: OPEN, state: "matched" },
  ],
  "a workbench's open lines, oldest first": ["list_open_lines", { id: OPEN, sort: "value_date" }],
  "a workbench's open lines, highest amounts first": [
    "list_open_lines",
    { id: OPEN, sort: "amount" },
  ],
  "a workbench's open lines above the amount of any": [
    "list_open_lines",
    { id: OPEN, sort: "amount", amount_from: NO_AMOUNT },
  ],
  "one side of a workbench's open lines": [
    "list_open_lines",
    { id: OPEN, sort: "value_date", side: "right" },
  ],
  "a workbench's open lines in a currency that none has": [
    "list_open_lines",
    { id: OPEN, sort: "value_date", currency: NO_CURRENCY },
  ],
  "a workbench's open lines, highest amounts first, in a currency that no line has": [
    "list_open_lines",
    { id: OPEN, sort: "amount", currency: NO_CURRENCY },
  ],
  "a workbench's open lines, oldest first, above the amount of any": [
    "list_open_lines",
    { id: OPEN, sort: "value_date", amount_from: NO_AMOUNT },
  ],
  "a tenant's lines in a currency that none has": ["list_lines", { currency: NO_CURRENCY }],
  "a tenant's lines above the amount of any": ["list_lines", { amount_from: NO_AMOUNT }],
  "a tenant's matched lines in a currency that none has": [
    "list_lines",
    { state: "matched", currency: NO_CURRENCY },
  ],
  "a tenant's open lines in a currency that none has": [
    "list_lines",
    { state: "open", currency: NO_CURRENCY },
  ],
  "a period's lines above the amount of any": [
    "list_lines",
    { reconciliation_id: MATCHED, amount_from: NO_AMOUNT },
  ],
  "a period's lines of a day before all of them": [
    "list_lines",
    { reconciliation_id: MATCHED, date_to: "2026-09-30" },
  ],
  "lines with a digit, and above the amount of any": [
    "list_lines",
    { q: "7", amount_from: NO_AMOUNT },
  ],
  "a period's matches": ["list_matches", { id: MATCHED }],
  "a period's matches of a rule that made none": ["list_matches", { id: MATCHED, method: "none" }],
  "a period's matches above the amount of any": [
    "list_matches",
    { id: MATCHED, amount_from: NO_AMOUNT },
  ],
  "a period's matches of many days by a rule that made none": [
    "list_matches",
    { id: MATCHED, date_to: "2026-10-20", method: "none" },
  ],
  "a period's suggestions where there are none": [
    "list_matches",
    { id: MATCHED, state: "suggested" },
  ],
};

function pagesRead(verb: string, input: object, setup = ""): Promise<number> {
  return database.pagesRead(
    `public.${verb}`,
    { limit: 50, ...input },
    { operation: verb.replace(/_(.)/g, (_, letter) => letter.toUpperCase()) },
    setup,
  );
}

// Like autovacuum after an import, so that lines are skipped by index-only scans.
beforeAll(async () => {
  await database.run("vacuum public.lines");
  await database.run("vacuum private.open_lines");
}, MINUTE);

describe.each([
  ["of other tenants", ""],
  ["of these lines", "analyze"],
])("with a million lines and statistics %s", (_, before) => {
  beforeAll(() => database.run(before), MINUTE);

  test.each(Object.entries(CALLS))("%s are listed from few pages", async (_call, [verb, input]) => {
    // The first call of a connection reads the catalogue, too.
    await pagesRead(verb, input);
    expect(await pagesRead(verb, input)).toBeLessThan(MAX_PAGES);
  });
});

describe("with a match in the pair of open lines", () => {
  test("matched lines are found where a pair has many, and where it has few", async () => {
    const input = { state: "matched", amount_from: AMOUNT_MINOR, amount_to: AMOUNT_MINOR };
    expect(await referencesListed(input)).toEqual(["RG-17", "RG-17", "RG-17", "RG-17"]);
  });

  test("the matched lines of a source with few are listed, each once", async () => {
    const source_id = await sourceOfOpenLines();
    expect(await referencesListed({ state: "matched", source_id })).toEqual(["RG-17"]);
  });
});

test("excluded lines are listed from few pages even if one pair has thousands", async () => {
  const read = (input: object) => pagesRead("list_lines", input, THOUSANDS_EXCLUDED);
  await read({ state: "excluded" });
  expect(await read({ state: "excluded" })).toBeLessThan(MAX_PAGES);
});

/** The amount of RG-17, which no other line of its source has. */
const AMOUNT_MINOR = 135_623;

/** A source of the pair of open lines. */
async function sourceOfOpenLines(): Promise<string> {
  const [line] = await database.page("public.list_lines", "listLines", {
    reconciliation_id: OPEN,
    side: "left",
  });
  return String(line?.source_id);
}

const ONE_MATCH = `
  with twin as (
    delete from private.open_lines open_line using public.lines line
    where line.line_no = open_line.line_no and line.reference = 'RG-17'
    returning open_line.*
  ), made as (
    insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
      currency, amount_minor, created_by)
    select 'acme', private.new_uuid(), min(pair_no), '${OPEN}', 'confirmed', '1:1', 'exact', 'EUR',
      min(amount_minor), 'system' from twin
    returning id
  ), members as (
    insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
    select 'acme', made.id, twin.pair_no, twin.line_no, twin.side, twin.amount_minor
    from twin cross join made
  )
  insert into private.matched_counts (tenant_id, reconciliation_id, lines)
  values ('acme', '${OPEN}', 2)`;

/** More exclusions than a list looks up one by one. */
const THOUSANDS_EXCLUDED = `
  alter table public.exclusions disable trigger user;
  insert into public.exclusions (tenant_id, pair_no, line_no, reconciliation_id, side, currency,
    excluded_minor, reason)
  select 'acme', period.pair_no, line.line_no, period.id, 'left', 'EUR', line.amount_minor, 'Test'
  from public.reconciliations period
  join public.sources source on source.id = period.left_source_id
  cross join lateral (select * from public.lines one where one.source_no = source.source_no
    order by one.value_date desc, one.line_no desc limit 6000) line
  where period.id = '${MATCHED}'`;

/** The references of all lines of a list, on all its pages. */
async function referencesListed(filters: object): Promise<string[]> {
  return (await everyPage(filters, ONE_MATCH)).found;
}

// The changes of this test and later ones stay.
test("matched lines older than many open ones are found by calls that each read few pages", async () => {
  const source_id = await sourceOfOpenLines();
  await database.run(OLDEST_MATCHED);
  await database.run("vacuum private.open_lines");
  const { found, pages } = await everyPage({ state: "matched", source_id });
  expect(found).toHaveLength(LINES_A_DAY);
  expect(Math.max(...pages)).toBeLessThan(MAX_PAGES);
});

test("the few lines of a currency are found by calls that each read few pages", async () => {
  await database.run("update public.lines set currency = 'USD' where reference = 'RG-17'");
  const { found, pages } = await everyPage({ currency: "USD" });
  expect(found).toEqual(["RG-17", "RG-17", "RG-17", "RG-17"]);
  expect(Math.max(...pages)).toBeLessThan(MAX_PAGES);
});

/** How many lines a source has on the first day. */
const LINES_A_DAY = Math.floor(SIDE / 31);

const OLDEST_MATCHED = `
  create temporary table oldest as
  select open_line.*, twin.id, twin.l
  from twins twin cross join lateral (values (twin.l), (twin.r)) one (line_no)
  join private.open_lines open_line on open_line.tenant_id = 'acme'
    and open_line.pair_no = twin.pair_no and open_line.line_no = one.line_no
  where twin.period_id = '${OPEN}' and twin.value_date = '2026-10-01';
  delete from private.open_lines open_line using oldest
  where open_line.tenant_id = 'acme' and open_line.pair_no = oldest.pair_no
    and open_line.line_no = oldest.line_no;
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    settled, currency, amount_minor, created_by)
  select 'acme', id, pair_no, '${OPEN}', 'confirmed', '1:1', 'exact', true, 'EUR', amount_minor,
    'system'
  from oldest where line_no = l;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select 'acme', id, pair_no, line_no, side, amount_minor from oldest;
  insert into private.matched_counts (tenant_id, reconciliation_id, lines)
  values ('acme', '${OPEN}', ${2 * LINES_A_DAY})`;

type Page = { items: { reference: string }[]; next: string[] | null };

/** The references of all lines of a list, and how many pages of 8 kB each call reads. */
async function everyPage(
  filters: object,
  setup = "",
): Promise<{ found: string[]; pages: number[] }> {
  const found: string[] = [];
  const pages: number[] = [];
  let after: string[] | null = null;
  do {
    pages.push(await pagesRead("list_lines", { ...filters, after }, setup));
    const page = await pageOf({ ...filters, after }, setup);
    found.push(...page.items.map(({ reference }) => reference));
    after = page.next;
  } while (after);
  return { found, pages };
}

function pageOf(input: object, setup = ""): Promise<Page> {
  const request = { operation: "listLines" };
  return database.asAdmin("public.list_lines", { limit: 50, ...input }, request, setup);
}
