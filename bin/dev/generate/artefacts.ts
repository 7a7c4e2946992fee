import { readFileSync, writeFileSync } from "node:fs";
import type { Pool } from "pg";
import { configurationPage, environmentExample } from "./configuration.ts";
import { currencyDecimalsSql } from "./currency-decimals.ts";
import { databaseTypes } from "./database-types.ts";
import { defaultRulesSql } from "./default-rules.ts";
import { difference } from "./difference.ts";
import { factsFile } from "./facts.ts";
import { sdkOperations, sdkTypes } from "./sdk.ts";
import { pythonResources, pythonTypes } from "./sdk-python.ts";

type Artefact = { path: string } & (
  | { needsDatabase: false; make: () => Promise<string> }
  | { needsDatabase: true; make: (database: Pool) => Promise<string> }
);

/**
 * Committed files that are generated from the schemas or the contracts, in this order: contracts
 * import the facts, so they are imported only when they are needed.
 */
export const ARTEFACTS = {
  types: { path: "lib/db/types.gen.ts", make: databaseTypes, needsDatabase: true },
  facts: { path: "lib/wire/facts.gen.ts", make: factsFile, needsDatabase: true },
  scopes: {
    path: "lib/api-keys/operation-scopes.gen.ts",
    make: async () =>
      (await import("./operation-scopes.ts")).operationScopes(
        (await import("#lib/openapi/operations.ts")).CONTRACTS,
      ),
    needsDatabase: false,
  },
  operations: {
    path: "supabase/schemas/core/operations.gen.sql",
    make: async () =>
      (await import("./operations.ts")).operationsSql(
        (await import("#lib/openapi/operations.ts")).CONTRACTS,
      ),
    needsDatabase: false,
  },
  "exception-writes": {
    path: "supabase/schemas/exceptions/exception_writes.gen.sql",
    make: async (database: Pool) =>
      (await import("./exception-writes.ts")).exceptionWrites(database),
    needsDatabase: true,
  },
  rules: {
    path: "supabase/schemas/runs/default_rules.gen.sql",
    make: async () => defaultRulesSql(),
    needsDatabase: false,
  },
  currencies: {
    path: "supabase/schemas/core/currency_decimals.gen.sql",
    make: async () => currencyDecimalsSql(),
    needsDatabase: false,
  },
  configuration: {
    path: "docs/configuration.md",
    make: async () => configurationPage(),
    needsDatabase: false,
  },
  environment: {
    path: ".env.example",
    make: async () => environmentExample(),
    needsDatabase: false,
  },
  openapi: {
    path: "openapi.json",
    make: async () =>
      `${JSON.stringify((await import("#lib/openapi/published.ts")).publishedDocument(), null, 1)}\n`,
    needsDatabase: false,
  },
  "sdk-types": {
    path: "sdk/typescript/src/generated/types.gen.ts",
    make: sdkTypes,
    needsDatabase: false,
  },
  "sdk-operations": {
    path: "sdk/typescript/src/generated/operations.gen.ts",
    make: sdkOperations,
    needsDatabase: false,
  },
  "python-types": {
    path: "sdk/python/src/tieout/_types.py",
    make: pythonTypes,
    needsDatabase: false,
  },
  "python-resources": {
    path: "sdk/python/src/tieout/_resources.py",
    make: pythonResources,
    needsDatabase: false,
  },
} as const satisfies Record<string, Artefact>;

export type ArtefactName = keyof typeof ARTEFACTS;

export async function writeArtefact(name: ArtefactName, database?: Pool): Promise<void> {
  writeFileSync(fileOf(name), await make(ARTEFACTS[name], database));
}

/** The lines in which a committed file differs from the generated one; empty if it is current. */
export async function checkArtefact(name: ArtefactName, database?: Pool): Promise<string[]> {
  return difference(readFileSync(fileOf(name), "utf8"), await make(ARTEFACTS[name], database));
}

function make(artefact: Artefact, database: Pool | undefined): Promise<string> {
  if (!artefact.needsDatabase) return artefact.make();
  if (!database) throw new Error(`${artefact.path} is read from a database.`);
  return artefact.make(database);
}

function fileOf(name: ArtefactName): URL {
  return new URL(`../../../${ARTEFACTS[name].path}`, import.meta.url);
}
