import { generateTypescript, sortGeneratorMetadata } from "@supabase/postgrest-typegen/generation";
import { introspect } from "@supabase/postgrest-typegen/introspection";
import type { Pool } from "pg";

/** The `Database` type of the exposed schema, generated as `supabase gen types` does. */
export async function databaseTypes(database: Pool): Promise<string> {
  const metadata = sortGeneratorMetadata(
    await introspect(database, { includedSchemas: ["public"] }),
  );
  return generateTypescript(metadata, { detectOneToOneRelationships: true });
}
