import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { testDatabases } from "../../bin/dev/generate/test-databases.ts";
import { run, schemaSql } from "../../bin/dev/migration/schemas.ts";
import { ACTIONS } from "./exception-actions.ts";
import { recordExceptions } from "./exception-recorder.ts";

const fresh = testDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
  await run(client, schemaSql(), "supabase/schemas");
}, 120_000);

test("what each action leaves of an exception in every table", async () => {
  const recording = await recordExceptions(client, ACTIONS);
  await expect(recording).toMatchFileSnapshot("exception-actions.recorded.txt");
});
