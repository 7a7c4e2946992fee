/**
 * What the rows and index entries of matches cost: 1,000,000 matches of two lines each, stored in
 * chunks of 20,000 as a run stores them, by today's tables and by variants that differ in one idea
 * each. Starts a separate database. The variants take turns; figures are medians.
 *
 *   node bench/match-storage.ts [matches] [rounds]
 */
import type { Client } from "pg";
import { withFreshDatabases } from "../bin/dev/generate/fresh-database.ts";

const MATCHES = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 3);
const CHUNK = 20_000;

/** `chunk` stores matches $1 to $2; `end` is what is left to do after the last chunk. */
type Variant = { name: string; tables: string; chunk: string[]; end?: string };

const MATCH_COLUMNS = `
  id uuid not null, pair_no integer not null, reconciliation_id text not null, run_id text,
  state text not null, shape text not null, method text not null, settled boolean not null,
  score real, margin real, currency text not null, amount_minor bigint not null,
  residual_minor bigint not null, adjustments jsonb not null, hash_high bigint, hash_low bigint,
  created_at timestamptz(3) not null, created_by text not null`;
const MATCH_VALUES = `
  lpad(to_hex(n), 32, '0')::uuid, 7, 'rcn_019a9f4be2c04d6f8a1b3c5d7e9f0a2b',
  'run_019a9f4be2c04d6f8a1b3c5d7e9f0a2b', 'confirmed', '1:1', 'Same reference', true, 1, 9,
  'EUR', n % 100000, 0, '[]'::jsonb, n::bigint * 2654435761, n, now(), 'system'`;
const TENANT = "'t_019a9f4be2c04d6f'";
/** Lines have a different order from matches. */
const LINE = `(n::bigint * 7919) % ${MATCHES}`;
const EACH = "from generate_series($1::integer, $2::integer) n";
const BOTH = `${EACH} cross join (values (1, 'left'), (2, 'right')) side (nth, name)`;

const matches = (tenant: string, indexes: string[]) =>
  [`create table m (tenant_id ${tenant} not null, ${MATCH_COLUMNS})`, ...indexes].join(";\n");
const PRIMARY = "alter table m add primary key (tenant_id, id)";
const BY_PERIOD = "create index on m (tenant_id, reconciliation_id, id)";
const BY_AMOUNT = `create index on m (tenant_id, reconciliation_id, amount_minor, currency)
  where settled and state = 'confirmed'`;
const members = (tenant: string) => `create table mm (tenant_id ${tenant} not null,
  match_id uuid not null, pair_no integer not null, line_no bigint not null, side text not null,
  allocated_minor bigint not null, primary key (tenant_id, match_id, line_no));
  create index on mm (tenant_id, line_no, pair_no)`;
const insertMatches = (tenant: string) => `insert into m select ${tenant}, ${MATCH_VALUES} ${EACH}`;
const insertMembers = (tenant: string) => `insert into mm
  select ${tenant}, lpad(to_hex(n), 32, '0')::uuid, 7, ${LINE} * 2 + side.nth, side.name,
    n % 100000 ${BOTH}`;

const TODAY: Variant = {
  name: "today: 3 indexes of a match, 2 of each member",
  tables: `${matches("text", [PRIMARY, BY_PERIOD, BY_AMOUNT])}; ${members("text")}`,
  chunk: [insertMatches(TENANT), insertMembers(TENANT)],
};

const VARIANTS: Variant[] = [
  TODAY,
  {
    name: "members as arrays in the match, one row and one index for each line",
    tables: `${matches("text", [PRIMARY, BY_PERIOD, BY_AMOUNT])};
      alter table m add lines bigint[] not null, add allocated bigint[] not null;
      create table ml (tenant_id text not null, line_no bigint not null, pair_no integer not null,
        match_id uuid not null, primary key (tenant_id, line_no, pair_no, match_id))`,
    chunk: [
      `insert into m select ${TENANT}, ${MATCH_VALUES}, array[${LINE} * 2 + 1, ${LINE} * 2 + 2],
         array[n % 100000, n % 100000] ${EACH}`,
      `insert into ml select ${TENANT}, ${LINE} * 2 + side.nth, 7, lpad(to_hex(n), 32, '0')::uuid
       ${BOTH}`,
    ],
  },
  {
    name: "members as arrays in the match, found by a GIN index",
    tables: `${matches("text", [PRIMARY, BY_PERIOD, BY_AMOUNT])};
      alter table m add lines bigint[] not null, add allocated bigint[] not null;
      create index on m using gin (lines)`,
    chunk: [
      `insert into m select ${TENANT}, ${MATCH_VALUES}, array[${LINE} * 2 + 1, ${LINE} * 2 + 2],
         array[n % 100000, n % 100000] ${EACH}`,
    ],
  },
  {
    name: "an integer for the tenant",
    tables: `${matches("integer", [PRIMARY, BY_PERIOD, BY_AMOUNT])}; ${members("integer")}`,
    chunk: [insertMatches("42"), insertMembers("42")],
  },
  {
    name: "one index of a match fewer",
    tables: `${matches("text", [PRIMARY, BY_AMOUNT])}; ${members("text")}`,
    chunk: [insertMatches(TENANT), insertMembers(TENANT)],
  },
  {
    name: "BRIN instead of a B-tree for the list of a period",
    tables: `${matches("text", [PRIMARY, "create index on m using brin (id)", BY_AMOUNT])};
      ${members("text")}`,
    chunk: [insertMatches(TENANT), insertMembers(TENANT)],
  },
  {
    name: "indexes built at the end, as of partitions that are attached",
    tables: `${matches("text", [])}; create table mm (tenant_id text not null,
      match_id uuid not null, pair_no integer not null, line_no bigint not null,
      side text not null, allocated_minor bigint not null)`,
    chunk: [insertMatches(TENANT), insertMembers(TENANT)],
    end: `${PRIMARY}; ${BY_PERIOD}; ${BY_AMOUNT};
      alter table mm add primary key (tenant_id, match_id, line_no);
      create index on mm (tenant_id, line_no, pair_no)`,
  },
];

type Cost = { seconds: number; mb: number; walMb: number };

await withFreshDatabases(async (fresh) => {
  const { client } = await fresh();
  const costs = VARIANTS.map((): Cost[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, variant] of VARIANTS.entries()) costs[at]?.push(await costOf(client, variant));
  const [today] = costs.map((each) => median(each, "seconds"));
  console.log(`${MATCHES.toLocaleString("en")} matches, medians of ${ROUNDS} rounds in turns\n`);
  console.log(
    "| Variant | Seconds | × | Size, MB | WAL, MB |\n| --- | ---: | ---: | ---: | ---: |",
  );
  for (const [at, { name }] of VARIANTS.entries()) {
    const each = costs[at] ?? [];
    const seconds = median(each, "seconds");
    const ratio = (seconds / (today ?? seconds)).toFixed(2);
    console.log(
      `| ${name} | ${seconds.toFixed(1)} | ${ratio} | ${median(each, "mb").toFixed(0)} | ${median(each, "walMb").toFixed(0)} |`,
    );
  }
});

async function costOf(client: Client, { tables, chunk, end }: Variant): Promise<Cost> {
  await client.query("drop table if exists m, mm, ml");
  await client.query(tables);
  const [from] = await walPosition(client);
  const startedAt = performance.now();
  for (let first = 1; first <= MATCHES; first += CHUNK) {
    await client.query("begin");
    for (const statement of chunk)
      await client.query(statement, [first, Math.min(MATCHES, first + CHUNK - 1)]);
    await client.query("commit");
  }
  if (end) await client.query(end);
  const seconds = (performance.now() - startedAt) / 1000;
  const [, walMb] = await walPosition(client, from);
  const { rows } = await client.query<{ mb: number }>(
    `select sum(pg_total_relation_size(c.oid)) / 1e6 as mb from pg_class c
     where c.relname in ('m', 'mm', 'ml') and c.relkind = 'r'`,
  );
  return { seconds, mb: Number(rows[0]?.mb), walMb };
}

/** The position in the write-ahead log, and the megabytes written since `from`. */
async function walPosition(client: Client, from?: string): Promise<[string, number]> {
  const { rows } = await client.query<{ at: string; mb: number }>(
    `select pg_current_wal_lsn()::text as at,
       pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce($1::pg_lsn, pg_current_wal_lsn())) / 1e6
         as mb`,
    [from ?? null],
  );
  return [rows[0]?.at ?? "", Number(rows[0]?.mb)];
}

function median(costs: readonly Cost[], field: keyof Cost): number {
  const values = costs.map((cost) => cost[field]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}
