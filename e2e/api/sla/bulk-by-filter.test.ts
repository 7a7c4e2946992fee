import { expect, it } from "vitest";
import { codeOf, pathsOf } from "#e2e/api/api-keys/keys.ts";
import { creating } from "#e2e/exception-statements.ts";
import { sql } from "#e2e/fixtures.ts";
import { tenantWithLead } from "./exceptions.ts";

type Changed = {
  updated: number;
  previous: { title: string; assigned_to: string | null; paused_at: string | null }[];
  skipped: { title: string; message: string }[];
  next_cursor: string | null;
};

async function tenantOf(count: number) {
  const created = await tenantWithLead();
  await sql(
    creating(
      `'tenant_id', $1::text, 'title', 'Item ' || i, 'severity',
         case when i > 3 then 'low' else 'high' end, 'due_at',
         now() + i * interval '1 minute' - interval '2 minutes', 'created_by', 'user:leo'`,
      `generate_series(1, $2::int) i`,
    ),
    [created.tenant, count],
  );
  const bulk = (body: object) => created.call("POST", "/v1/exceptions/bulk", body);
  return { ...created, bulk };
}

it("all that a filter matches changes, in calls of 500, and nothing else", async () => {
  const { tenant, bulk } = await tenantOf(1203);
  const change = {
    filter: { severity: ["low"] },
    expected_count: 1200,
    patch: { assigned_to: "user:zoe" },
  };
  const sizes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const answer = (await bulk({ ...change, ...(cursor && { cursor }) })).json as Changed;
    sizes.push(answer.updated);
    cursor = answer.next_cursor;
  }
  expect(sizes).toEqual([500, 500, 200]);
  const [stored] = await sql<{ low: number; high: number }>(
    `select count(*) filter (where severity = 'low' and assigned_to = 'user:zoe')::int as low,
       count(*) filter (where severity = 'high' and assigned_to is not null)::int as high
       from public.exceptions where tenant_id = $1`,
    [tenant],
  );
  expect(stored).toEqual({ low: 1200, high: 0 });
});

it("a cursor continues only the filter whose number was confirmed", async () => {
  const { tenant, bulk } = await tenantOf(505);
  const patch = { assigned_to: "user:zoe" };
  const first = await bulk({ filter: { severity: ["low"] }, expected_count: 502, patch });
  const cursor = (first.json as Changed).next_cursor;
  expect(cursor).not.toBeNull();
  const other = await bulk({ filter: {}, expected_count: 1, cursor, patch });
  expect([other.status, pathsOf(other)]).toEqual([400, ["cursor"]]);
  const high = await sql(
    `select from public.exceptions
     where tenant_id = $1 and severity = 'high' and assigned_to is not null`,
    [tenant],
  );
  expect(high).toEqual([]);
});

it("nothing changes if another number matches than was confirmed", async () => {
  const { tenant, bulk } = await tenantOf(5);
  const answer = await bulk({ filter: {}, expected_count: 4, patch: { assigned_to: "user:zoe" } });
  expect([answer.status, codeOf(answer)]).toEqual([409, "conflict"]);
  expect(answer.text).toContain("5 match now, not 4");
  expect(
    await sql("select from public.exceptions where tenant_id = $1 and assigned_to is not null", [
      tenant,
    ]),
  ).toHaveLength(0);
});

it("exceptions that can't change are skipped and named, and the others change", async () => {
  const { bulk } = await tenantOf(5);
  const answer = (await bulk({ filter: {}, expected_count: 5, pause: { reason: "Waiting" } }))
    .json as Changed;
  expect(answer).toMatchObject({ updated: 3, next_cursor: null });
  expect(answer.previous.map(({ title, paused_at }) => [title, paused_at]).toSorted()).toEqual([
    ["Item 3", null],
    ["Item 4", null],
    ["Item 5", null],
  ]);
  expect(answer.skipped.map(({ title }) => title).toSorted()).toEqual(["Item 1", "Item 2"]);
});

it.each([
  [{ patch: { severity: "low" } }, "ids"],
  [{ filter: {}, patch: { severity: "low" } }, "expected_count"],
  [
    {
      filter: {},
      ids: ["exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"],
      expected_count: 1,
      patch: { severity: "low" },
    },
    "ids",
  ],
  [{ filter: { owner: ["me"] }, expected_count: 1, patch: { severity: "low" } }, "filter.owner"],
  [{ filter: {}, expected_count: 1, cursor: "broken", patch: { severity: "low" } }, "cursor"],
])("refuses %j", async (body, path) => {
  const { call } = await tenantWithLead();
  const answer = await call("POST", "/v1/exceptions/bulk", body);
  expect([answer.status, pathsOf(answer)]).toEqual([400, [path]]);
});
