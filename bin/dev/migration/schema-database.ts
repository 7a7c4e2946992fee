import { beforeAll } from "vitest";
import type { CreateDatabase, FreshDatabase } from "../generate/fresh-database.ts";
import { type CatalogueObject, readCatalogue } from "./catalogue.ts";
import { run, schemaSql } from "./schemas.ts";

const MINUTE = 60_000;

/** The database that supabase/schemas creates, and its catalogue, for the tests of a file. */
export function schemaDatabase(fresh: CreateDatabase): {
  desired: FreshDatabase;
  known: CatalogueObject[];
} {
  const state = {} as { desired: FreshDatabase; known: CatalogueObject[] };
  beforeAll(async () => {
    state.desired = await fresh();
    await run(state.desired.client, schemaSql(), "supabase/schemas");
    state.known = await readCatalogue(state.desired.client);
  }, MINUTE);
  return state;
}
