import { beforeAll } from "vitest";
import type { Fresh, FreshDatabase } from "../generate/fresh-database.ts";
import { readCatalogue, type Thing } from "./catalogue.ts";
import { run, schemaSql } from "./schemas.ts";

const MINUTE = 60_000;

/** The database that supabase/schemas creates, and its catalogue, for the tests of a file. */
export function madeBySchemas(fresh: Fresh): { wanted: FreshDatabase; known: Thing[] } {
  const state = {} as { wanted: FreshDatabase; known: Thing[] };
  beforeAll(async () => {
    state.wanted = await fresh();
    await run(state.wanted.client, schemaSql(), "supabase/schemas");
    state.known = await readCatalogue(state.wanted.client);
  }, MINUTE);
  return state;
}
