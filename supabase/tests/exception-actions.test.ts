import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";
import { ACTIONS } from "./exception-actions.ts";
import { recordExceptions } from "./exception-recorder.ts";

const fresh = schemaDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
}, 120_000);

test("each action changes an exception's rows in every table as recorded", async () => {
  const recording = await recordExceptions(client, ACTIONS);
  await expect(recording).toMatchFileSnapshot("exception-actions.recorded.txt");
});
