import type { Pool } from "pg";

const HEADER =
  "/** Written by `npm run generate` from the database's own constraints: what its columns " +
  "take. Safe in the browser. */";

/** The tables whose columns are also on the wire. */
const TABLES = [
  "api_keys",
  "calendar_versions",
  "calendars",
  "connection_files",
  "connections",
  "exception_comments",
  "exception_history",
  "exception_ledger",
  "exceptions",
  "imports",
  "reconciliations",
  "records",
  "request_log",
  "security_events",
  "sla_policies",
  "sources",
  "views",
  "webhook_attempts",
  "webhook_deliveries",
  "webhooks",
];

/** Facts from indexes and functions. */
const OTHERS = `select
  (select array(select m[1]
    from regexp_matches(pg_get_expr(indpred, indrelid), '''(\\w+)''', 'g') m)
    from pg_index
    where indexrelid = 'public.exceptions_by_deadline'::regclass) as "OPEN_EXCEPTION_STATUSES",
  private.breach_risks() as "BREACH_RISKS",
  private.entry_kinds() as "ENTRY_KINDS",
  jsonb_build_object('high_below', private.high_risk_below(), 'medium_up_to',
    private.medium_risk_up_to()) as "RISK_MINUTES"`;

const CHECKS = `select r.relname as table, a.attname as column,
    pg_get_constraintdef(c.oid) as definition
from pg_constraint c join pg_class r on r.oid = c.conrelid
join pg_attribute a on a.attrelid = r.oid and a.attnum = c.conkey[1]
where c.contype = 'c' and cardinality(c.conkey) = 1 and r.relnamespace = 'public'::regnamespace
  and r.relname = any ($1)
order by r.relname, a.attname, c.conname`;

type Check = { table: string; column: string; definition: string };
/**
 * The values that a column accepts, or the limits of a text's length, an array's size or a number.
 */
type Fact = string[] | { min?: number; max?: number };

/**
 * Generates `lib/wire/facts.gen.ts`: one constant per table, with an entry for each column that has
 * a check.
 */
export async function factsFile(database: Pool): Promise<string> {
  const { rows } = await database.query<Check>(CHECKS, [TABLES]);
  const constants: Record<string, unknown> = {};
  for (const table of TABLES)
    constants[table.toUpperCase()] = factsOf(rows.filter((check) => check.table === table));
  Object.assign(constants, (await database.query(OTHERS)).rows[0]);
  constants.RECONCILIATION_MOVES = await movesOf(
    database,
    constants.RECONCILIATIONS as { status: string[] },
  );
  const exports = Object.entries(constants).map(
    ([name, value]) => `export const ${name} = ${literal(value)} as const;`,
  );
  return `${[HEADER, ...exports].join("\n\n")}\n`;
}

/** Writes each column on one line. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  const entries = Object.entries(value as object).map(([name, one]) => [
    name,
    typeof one === "object" ? literal(one) : String(one),
  ]);
  const flat = `{ ${entries.map(([name, one]) => `${name}: ${one}`).join(", ")} }`;
  return entries.some(([, one]) => /[[{]/.test(String(one)))
    ? `{\n${entries.map(([name, one]) => `  ${name}: ${one},\n`).join("")}}`
    : flat;
}

function factsOf(checks: Check[]): Record<string, Fact> {
  return Object.fromEntries(
    checks.flatMap(({ column, definition }) => {
      const fact = factOf(definition);
      return fact ? [[column, fact]] : [];
    }),
  );
}

/**
 * Parses checks as pg_get_constraintdef writes them: `= ANY (ARRAY['open'::text, …])`,
 * `(length(title) >= 1) AND (length(title) <= 200)`.
 */
function factOf(definition: string): Fact | undefined {
  const [, list] = /= ANY \(ARRAY\[([^\]]*)\]\)/.exec(definition) ?? [];
  if (list !== undefined)
    return [...list.matchAll(/'([^']*)'::text/g)].map(([, value = ""]) => value);
  const min = /(?:\w|\)) >= (\d+)\)/.exec(definition)?.[1];
  const max = /(?:\w|\)) <= (\d+)\)/.exec(definition)?.[1];
  if (min === undefined && max === undefined) return undefined;
  return {
    ...(min !== undefined && { min: Number(min) }),
    ...(max !== undefined && { max: Number(max) }),
  };
}

/** The allowed status changes of a reconciliation, from the function that decides them. */
async function movesOf(
  database: Pool,
  { status }: { status: string[] },
): Promise<Record<string, string[]>> {
  const { rows } = await database.query<{ before: string; after: string }>(
    `select b.status as before, a.status as after
     from unnest($1::text[]) with ordinality b (status, n),
       unnest($1::text[]) with ordinality a (status, n)
     where b.status <> a.status and private.reconciliation_may_move(b.status, a.status)
     order by b.n, a.n`,
    [status],
  );
  return Object.fromEntries(
    status.map((before) => [
      before,
      rows.filter((row) => row.before === before).map(({ after }) => after),
    ]),
  );
}
