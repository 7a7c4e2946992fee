import { Client } from "pg";
import { expect, test } from "vitest";
import { requestDatabaseUrl, stack } from "#e2e/fixtures.ts";
import { become } from "#lib/db/direct/call-directly.ts";
import { PipelinedTransaction } from "#lib/db/direct/pipelined-transaction.ts";
import { excessOf, makeRequestRole } from "../../../supervisor/request-role.ts";

test("a project's role for requests is made by its owner, becomes a request's role and no other, and gets a new password when made again", async () => {
  const first = await makeRequestRole(stack.databaseUrl);
  expect(await excessOf(first)).toBeNull();

  const client = new Client({ connectionString: first });
  await client.connect();
  const who = { name: "who", text: "select current_user::text", values: [] };
  const call = client.query(
    new PipelinedTransaction([become({ role: "anon", actor: "anon" }), who], { prepare: true }),
  );
  expect(await call.result).toBe("anon");
  await expect(client.query("set role postgres")).rejects.toThrow("permission denied");
  await expect(client.query("select from public.tenants")).rejects.toThrow("permission denied");
  await client.end();

  const second = await makeRequestRole(stack.databaseUrl);
  expect(await excessOf(second)).toBeNull();
  await expect(excessOf(first)).rejects.toThrow("password authentication failed");
});

test("the start tells a role for requests from one that may do more", async () => {
  expect(await excessOf(requestDatabaseUrl())).toBeNull();
  expect(await excessOf(stack.databaseUrl)).toMatch(/^postgres /);
});
