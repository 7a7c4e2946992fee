import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";

const QUERY = readFileSync(new URL("catalogue.sql", import.meta.url), "utf8");

/**
 * Tables whose rows the contracts generate, so they are part of the schema, with their keys.
 * Referenced tables come first.
 */
const REFERENCE_TABLES: Record<string, string[]> = {
  "private.permissions": ["permission"],
  "private.operations": ["verb", "operation"],
  "private.event_kinds": ["kind"],
};

/**
 * An object of our schemas. `make` and `unmake` are null for objects with data, which a person must
 * migrate. `owner` is the table or function it belongs to. `shape` is the part of a function that
 * cannot be replaced in place.
 */
export type CatalogueObject = {
  kind: string;
  owner: string;
  name: string;
  definition: string;
  make: string | null;
  unmake: string | null;
  shape: string | null;
};

/** Every object of the schemas public and private, in an order in which they can be created. */
export async function readCatalogue(database: ClientBase): Promise<CatalogueObject[]> {
  await database.query("begin read only");
  try {
    return await readCatalogueInTransaction(database);
  } finally {
    await database.query("rollback");
  }
}

/** Like `readCatalogue`, within a transaction, whose search_path it empties. */
export async function readCatalogueInTransaction(database: ClientBase): Promise<CatalogueObject[]> {
  await database.query("set local search_path = ''");
  const { rows } = await database.query<CatalogueObject>(QUERY);
  const references: CatalogueObject[] = [];
  for (const [table, key] of Object.entries(REFERENCE_TABLES))
    if (rows.some(({ name }) => name === table))
      references.push(...(await readRows(database, table, key)));
  return [...rows, ...references];
}

async function readRows(
  database: ClientBase,
  table: string,
  key: string[],
): Promise<CatalogueObject[]> {
  const { rows } = await database.query<{ row: string; found: string; named: string }>(
    `select quote_literal(t::text) as row,
       format('${key.map((column) => `${column} = %L`).join(" and ")}', ${key}) as found,
       concat_ws(' ', ${key}) as named
     from ${table} t order by ${key}`,
  );
  const { rows: columns } = await database.query<{ name: string }>(
    "select attname as name from pg_catalog.pg_attribute where attrelid = $1::regclass and " +
      "attnum > 0 and not attisdropped order by attnum",
    [table],
  );
  const others = columns.flatMap(({ name }) =>
    key.includes(name) ? [] : [`${name} = excluded.${name}`],
  );
  return rows.map(({ row, found, named }) => ({
    kind: "row",
    owner: table,
    name: `${table} ${named}`,
    definition: row,
    make:
      `insert into ${table} select (${row}::${table}).* on conflict (${key}) ` +
      `do update set ${others.join(", ")};`,
    unmake: `delete from ${table} where ${found};`,
    shape: null,
  }));
}
