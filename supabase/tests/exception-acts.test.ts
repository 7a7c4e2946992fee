import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { lentDatabases } from "../../bin/dev/generate/lent-databases.ts";
import { run, schemaSql } from "../../bin/dev/migration/schemas.ts";
import { ACTS } from "./exception-acts.ts";
import { recordExceptions } from "./exception-recorder.ts";

const fresh = lentDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
  await run(client, schemaSql(), "supabase/schemas");
}, 120_000);

test("what each act leaves of an exception in every table", async () => {
  const recording = await recordExceptions(client, ACTS);
  await expect(recording).toMatchFileSnapshot("exception-acts.recorded.txt");
});
