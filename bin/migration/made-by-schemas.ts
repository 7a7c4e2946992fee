import { beforeAll } from "vitest";
import type { Fresh, FreshDatabase } from "../generate/fresh-database.ts";
import { readCatalogue, type Thing } from "./catalogue.ts";
import { run, schemaSql } from "./schemas.ts";

const MINUTE = 60_000;

/** The database that supabase/schemas creates, and its catalogue, for the tests of a file. */
export function madeBySchemas(fresh: Fresh): { wanted: FreshDatabase; known: Thing[] } {
  const made = {} as { wanted: FreshDatabase; known: Thing[] };
  beforeAll(async () => {
    made.wanted = await fresh();
    await run(made.wanted.client, schemaSql(), "supabase/schemas");
    made.known = await readCatalogue(made.wanted.client);
  }, MINUTE);
  return made;
}
