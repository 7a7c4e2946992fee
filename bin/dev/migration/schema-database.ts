import { beforeAll } from "vitest";
import type { CreateDatabase, FreshDatabase } from "../generate/fresh-database.ts";
import { type CatalogueObject, readCatalogue } from "./catalogue.ts";
import { run, schemaSql } from "./schemas.ts";

const MINUTE = 60_000;

/** The database that supabase/schemas creates, and its catalogue, for the tests of a file. */
export function schemaDatabase(fresh: CreateDatabase): {
  wanted: FreshDatabase;
  known: CatalogueObject[];
} {
  const state = {} as { wanted: FreshDatabase; known: CatalogueObject[] };
  beforeAll(async () => {
    state.wanted = await fresh();
    await run(state.wanted.client, schemaSql(), "supabase/schemas");
    state.known = await readCatalogue(state.wanted.client);
  }, MINUTE);
  return state;
}
