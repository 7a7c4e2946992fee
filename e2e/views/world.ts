import { readFileSync } from "node:fs";
import { createTenant, database, uniqueName } from "../fixtures.ts";
import { createMonth } from "./month.ts";

const WORLD = readFileSync(new URL("world.sql", import.meta.url), "utf8");

/** The tenants that the views of one worker read. */
export type World = { world: string; empty: string };

/** Makes both, and lets a period of the first be matched. */
export async function createWorld(): Promise<World> {
  const world = uniqueName("world");
  await database.query(WORLD.replaceAll(":tenant", `'${world}'`));
  await createMonth(world);
  return { world, empty: await createTenant() };
}
