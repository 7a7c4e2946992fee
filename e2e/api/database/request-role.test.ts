import { Client } from "pg";
import { expect, test } from "vitest";
import { requestDatabaseUrl, stack } from "#e2e/fixtures.ts";
import { setRoleStatement } from "#lib/db/direct/call-directly.ts";
import { PipelinedTransaction } from "#lib/db/direct/pipelined-transaction.ts";
import { excessRightsOf, makeRequestRole } from "../../../supervisor/request-role.ts";

test("a project's owner creates the request role and resets its password", async () => {
  const first = await makeRequestRole(stack.databaseUrl);
  expect(await excessRightsOf(first)).toBeNull();

  const client = new Client({ connectionString: first });
  await client.connect();
  const who = { name: "who", text: "select current_user::text", values: [] };
  const call = client.query(
    new PipelinedTransaction([setRoleStatement({ role: "anon", actor: "anon" }), who], {
      prepare: true,
    }),
  );
  expect(await call.result).toBe("anon");
  await expect(client.query("set role postgres")).rejects.toThrow("permission denied");
  await expect(client.query("select from public.tenants")).rejects.toThrow("permission denied");
  await client.end();

  const second = await makeRequestRole(stack.databaseUrl);
  expect(await excessRightsOf(second)).toBeNull();
  await expect(excessRightsOf(first)).rejects.toThrow("password authentication failed");
});

test("the start detects a role for requests with more rights", async () => {
  expect(await excessRightsOf(requestDatabaseUrl())).toBeNull();
  expect(await excessRightsOf(stack.databaseUrl)).toMatch(/^postgres /);
});
