import type { Pool } from "pg";
import { createExceptionContract, updateExceptionContract } from "#lib/exceptions/contract.ts";
import { FACET_NAMES, FACETS } from "#lib/exceptions/filters/contract.ts";

const HEADER = `-- Written by \`npm run generate\` from the columns of public.exceptions and the contracts: the two
-- statements that write exceptions, what a caller may set, and the filters.`;

/** The columns that a pause sets, and the calendar, which the SLA policy sets. */
const SET_BY_ACTIONS = ["calendar_id", "calendar_no", "paused_until", "pause_reason"];
const NEVER_CHANGED = ["id", "tenant_id", "created_at", "created_by"];
const LINE_WIDTH = 100;

const COLUMNS = `select attname as name from pg_attribute
where attrelid = 'public.exceptions'::regclass and attnum > 0 and not attisdropped
  and attgenerated = ''
order by attnum`;

/**
 * The columns whose index continues with the deadline. A rank replaces the column that it ranks.
 */
const BY_DEADLINE = `select distinct regexp_replace(ranked.attname, '_rank$', '') as name
from pg_index index
join pg_attribute ranked
  on ranked.attrelid = index.indrelid and ranked.attnum = index.indkey[1]
where index.indrelid = 'public.exceptions'::regclass and array(
  select part.attname::text
  from unnest(index.indkey::smallint[]) with ordinality key (number, place)
  join pg_attribute part on part.attrelid = index.indrelid and part.attnum = key.number
  order by key.place
) = array['tenant_id', ranked.attname::text, 'due_at', 'id']`;

/** Generates the statements, so that a new column is written without being listed by hand. */
export async function exceptionWrites(database: Pool): Promise<string> {
  const { rows } = await database.query<{ name: string }>(COLUMNS);
  const columns = rows.map(({ name }) => name);
  const changed = columns.filter((name) => !NEVER_CHANGED.includes(name));
  const settable = [createExceptionContract.body, updateExceptionContract.body].flatMap((body) =>
    Object.keys(body?.shape ?? {}),
  );
  const indexed = await database.query<{ name: string }>(BY_DEADLINE);
  const hasIndex = new Set(indexed.rows.map(({ name }) => name));
  return `${[
    HEADER,
    namesFunction("exception_settable", [...new Set([...settable, ...SET_BY_ACTIONS])]),
    "-- The filters that take several values and have counts (exceptions/sla_facets.sql).",
    namesFunction("exception_facets", FACET_NAMES),
    `-- Whether \`none\` is a value of the filter, and counted.
create function private.facet_has_none(facet text) returns boolean
language sql immutable set search_path = ''
return facet in (
${filled(FACET_NAMES.filter((name) => FACETS[name].hasNone).map((name) => `'${name}'`))}
);`,
    "-- The filters that have an index by deadline.",
    namesFunction(
      "facets_by_deadline",
      FACET_NAMES.filter((name) => hasIndex.has(name)),
    ),
    `grant execute on function
  private.exception_facets(), private.facet_has_none(text), private.facets_by_deadline()
to authenticated;`,
    `create function private.insert_exceptions(changes private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.exceptions (
${filled(columns, 4)}
  )
  select
${filled(
  columns.map((name) => `written.${name}`),
  4,
)}
  from (select (change.after).* from unnest(changes) change) written;
end $$;`,
    `create function private.update_exceptions(changes private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.exceptions exception
  set
${filled(
  changed.map((name) => `${name} = written.${name}`),
  4,
)}
  from (select (change.after).* from unnest(changes) change) written
  where exception.tenant_id = written.tenant_id and exception.id = written.id;
end $$;`,
  ]
    .join("\n\n")
    .replaceAll(/^(-- The filters .*)\n\n/gm, "$1\n")}\n`;
}

/** A function that returns a list of names. */
function namesFunction(name: string, names: readonly string[]): string {
  return `create function private.${name}() returns text[]
language sql immutable set search_path = ''
return array[
${filled(names.map((item) => `'${item}'`))}
];`;
}

/** Items with commas, on lines of at most 100 columns. */
function filled(items: string[], indent = 2): string {
  const lines = [" ".repeat(indent)];
  for (const [index, item] of items.entries()) {
    const text = index < items.length - 1 ? `${item},` : item;
    const line = lines.at(-1) ?? "";
    if (line.trim() === "") lines[lines.length - 1] = `${line}${text}`;
    else if (line.length + 1 + text.length > LINE_WIDTH) lines.push(" ".repeat(indent) + text);
    else lines[lines.length - 1] = `${line} ${text}`;
  }
  return lines.join("\n");
}
