import type { Pool } from "pg";
import { createExceptionContract, updateExceptionContract } from "#lib/exceptions/contract.ts";

const HEADER = `-- Written by \`npm run generate\` from the columns of public.exceptions and the contracts: the two
-- statements that write exceptions, and what a caller may set.`;

/** What a pause sets, and the calendar, which the SLA policy sets. */
const SET_BY_ACTS = ["calendar_id", "calendar_no", "paused_until", "pause_reason"];
const NEVER_CHANGED = ["id", "tenant_id", "created_at", "created_by"];
const LINE_WIDTH = 100;

const COLUMNS = `select attname as name from pg_attribute
where attrelid = 'public.exceptions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
order by attnum`;

/** Generates the statements, so that a new column is written without being listed by hand. */
export async function exceptionWrites(database: Pool): Promise<string> {
  const { rows } = await database.query<{ name: string }>(COLUMNS);
  const columns = rows.map(({ name }) => name);
  const changed = columns.filter((name) => !NEVER_CHANGED.includes(name));
  const settable = [createExceptionContract.body, updateExceptionContract.body].flatMap((body) =>
    Object.keys(body?.shape ?? {}),
  );
  return `${[
    HEADER,
    `create function private.exception_settable() returns text[]
language sql immutable set search_path = ''
return array[
${filled([...new Set([...settable, ...SET_BY_ACTS])].map((name) => `'${name}'`))}
];`,
    `create function private.insert_exceptions(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.exceptions (
${filled(columns, 4)}
  )
  select
${filled(
  columns.map((name) => `n.${name}`),
  4,
)}
  from (select (m.after).* from unnest(made) m) n;
end $$;`,
    `create function private.update_exceptions(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.exceptions e
  set
${filled(
  changed.map((name) => `${name} = n.${name}`),
  4,
)}
  from (select (m.after).* from unnest(made) m) n
  where e.tenant_id = n.tenant_id and e.id = n.id;
end $$;`,
  ].join("\n\n")}\n`;
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
