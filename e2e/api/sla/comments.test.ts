import { expect, it } from "vitest";
import { codeOf, pathsOf } from "#e2e/api/api-keys/keys.ts";
import { sql } from "#e2e/fixtures.ts";
import type { Comment } from "#lib/exceptions/comments/contract.ts";
import { tenantWithLead } from "./exceptions.ts";

type Page = { items: Comment[]; next_cursor: string | null };

it("a comment is listed newest first, on a closed exception too, as it was written", async () => {
  const { call, create, change } = await tenantWithLead();
  const { id } = await create();
  const path = `/v1/exceptions/${id}/comments`;
  expect((await call("GET", path)).json).toEqual({ items: [], next_cursor: null });
  const body =
    "<b>Ask</b> <@user:zoe>\nor <@user:ada>, **not** <@user:zoe> <script>alert(1)</script>";
  const first = await call("POST", path, { body });
  expect(first.status).toBe(201);
  expect(first.json).toMatchObject({
    exception_id: id,
    body,
    mentions: ["user:ada", "user:zoe"],
    created_by: "user:leo",
  });
  await change(id, { status: "resolved", resolution: "Found." });
  await call("POST", path, { body: "Found it" });
  const { items, next_cursor } = (await call("GET", path, undefined, { limit: "1" })).json as Page;
  expect(items.map((comment) => comment.body)).toEqual(["Found it"]);
  const rest = (await call("GET", path, undefined, { limit: "1", cursor: next_cursor ?? "" }))
    .json as Page;
  expect(rest).toEqual({ items: [first.json], next_cursor: null });
});

it("a comment is one event with the exception and the mentions", async () => {
  const { tenant, call, create } = await tenantWithLead();
  const { id } = await create();
  const body = { body: "<@user:zoe> please look", idempotency_key: "once" };
  const [answer, two] = [
    await call("POST", `/v1/exceptions/${id}/comments`, body),
    await call("POST", `/v1/exceptions/${id}/comments`, body),
  ];
  expect(two.json).toEqual(answer.json);
  const events = await sql<{ data: { exception: { id: string }; comment: unknown } }>(
    "select data from public.events where tenant_id = $1 and type = 'exception.commented'",
    [tenant],
  );
  expect(events.map(({ data }) => [data.exception.id, data.comment])).toEqual([[id, answer.json]]);
});

it("a comment has 1 to 4,000 characters, at most 20 mentions, and an existing exception", async () => {
  const { call, create } = await tenantWithLead();
  const { id } = await create();
  const path = `/v1/exceptions/${id}/comments`;
  const people = (count: number) =>
    Array.from({ length: count }, (_, at) => `<@user:p${at}>`).join(" ");
  for (const body of ["", " \n", "x".repeat(4001), people(21)]) {
    const refused = await call("POST", path, { body });
    expect([body.length, refused.status, new Set(pathsOf(refused))]).toEqual([
      body.length,
      400,
      new Set(["body"]),
    ]);
  }
  expect((await call("POST", path, { body: people(20) })).status).toBe(201);
  expect((await call("POST", path, { body: "x".repeat(4000) })).status).toBe(201);
  const missing = await call(
    "POST",
    "/v1/exceptions/exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b/comments",
    { body: "Hi" },
  );
  expect([missing.status, codeOf(missing)]).toEqual([404, "not_found"]);
});
