import { afterAll, beforeAll } from "vitest";
import { type CreateDatabase, withFreshDatabases } from "./fresh-database.ts";

const MINUTE = 60_000;

/** Provides fresh databases to the tests of a file until its last test ends. */
export function testDatabases(): CreateDatabase {
  let lend: CreateDatabase;
  let lending: Promise<void>;
  const ended = Promise.withResolvers<void>();
  beforeAll(async () => {
    lend = await new Promise<CreateDatabase>((ready, fail) => {
      lending = withFreshDatabases((fresh) => {
        ready(fresh);
        return ended.promise;
      });
      lending.catch(fail);
    });
  }, MINUTE);
  afterAll(async () => {
    ended.resolve();
    await lending;
  }, MINUTE);
  return () => lend();
}
