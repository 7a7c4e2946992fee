import type { TestProject } from "vitest/node";
import { run, schemaSql } from "../migration/schemas.ts";
import { withFreshDatabases } from "./fresh-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of a database with the schema. Nobody is connected, so that it can be copied. */
    schemaTemplate: string;
  }
}

/** Starts one server for all files that need the schema: creating the schema takes seconds. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isReady = Promise.withResolvers<string>();
  const isOver = Promise.withResolvers<void>();
  const serving = withFreshDatabases(async (fresh) => {
    const { url, client } = await fresh();
    await run(client, schemaSql(), "supabase/schemas");
    await client.end();
    isReady.resolve(url);
    await isOver.promise;
  });
  serving.catch(isReady.reject);
  project.provide("schemaTemplate", await isReady.promise);
  return async () => {
    isOver.resolve();
    await serving;
  };
}
