import { readFileSync, writeFileSync } from "node:fs";
import type { Pool } from "pg";
import { openApiDocument } from "#lib/openapi/document.ts";
import { databaseTypes } from "./database-types.ts";
import { difference } from "./difference.ts";
import { schemaSnapshot } from "./schema-snapshot.ts";

/** Committed files that the code or the migrations produce. */
export const ARTEFACTS = {
  openapi: { path: "openapi.json", make: async () => `${JSON.stringify(openApiDocument(), null, 2)}\n`, needsDatabase: false },
  types: { path: "lib/db/types.gen.ts", make: databaseTypes, needsDatabase: true },
  snapshot: { path: "supabase/schema.snapshot.sql", make: schemaSnapshot, needsDatabase: true },
} as const satisfies Record<string, { path: string; make: (database: Pool) => Promise<string>; needsDatabase: boolean }>;

export type ArtefactName = keyof typeof ARTEFACTS;

export async function writeArtefact(name: ArtefactName, database: Pool): Promise<void> {
  writeFileSync(fileOf(name), await ARTEFACTS[name].make(database));
}

/** The lines in which a committed file differs from what is produced now; none is well. */
export async function checkArtefact(name: ArtefactName, database: Pool): Promise<string[]> {
  return difference(readFileSync(fileOf(name), "utf8"), await ARTEFACTS[name].make(database));
}

function fileOf(name: ArtefactName): URL {
  return new URL(`../../${ARTEFACTS[name].path}`, import.meta.url);
}
