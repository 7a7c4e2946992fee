import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";

const QUERY = readFileSync(new URL("catalogue.sql", import.meta.url), "utf8");

/** Tables whose rows are part of the schema: the contracts write them. */
const REFERENCE_TABLES = ["private.permissions", "private.operations", "private.event_kinds"];

/**
 * A thing of our schemas. `make` and `unmake` are null where that is for a person to write: what holds data can be changed in more than
 * one way. `owner` is the table or function it belongs to. `shape`: what of a function cannot be replaced in place.
 */
export type Thing = {
  kind: string;
  owner: string;
  name: string;
  definition: string;
  make: string | null;
  unmake: string | null;
  shape: string | null;
};

/** All that the schemas public and private consist of, in the order in which it can be made. */
export async function readCatalogue(database: ClientBase): Promise<Thing[]> {
  await database.query("begin read only");
  try {
    return await readCatalogueWithin(database);
  } finally {
    await database.query("rollback");
  }
}

/** The same within a transaction, whose search_path it empties. */
export async function readCatalogueWithin(database: ClientBase): Promise<Thing[]> {
  await database.query("set local search_path = ''");
  const { rows } = await database.query<Thing>(QUERY);
  const references: Thing[] = [];
  for (const table of REFERENCE_TABLES) if (rows.some(({ name }) => name === table)) references.push(await readRows(database, table));
  return [...rows, ...references];
}

async function readRows(database: ClientBase, table: string): Promise<Thing> {
  const { rows } = await database.query<{ row: string }>(
    `select quote_literal(t::text) as row from ${table} t order by t::text collate "C"`,
  );
  const values = rows.map(({ row }) => `  (${row})`).join(",\n");
  return {
    kind: "rows",
    owner: table,
    name: `rows of ${table}`,
    definition: values,
    make: values && `insert into ${table} select (row_text::${table}).* from (values\n${values}\n) as given (row_text);`,
    unmake: `delete from ${table};`,
    shape: null,
  };
}
