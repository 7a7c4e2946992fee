import { expect, it } from "vitest";
import { codeOf, pathsOf } from "#e2e/api/api-keys/keys.ts";
import { api, sql, userToken } from "#e2e/fixtures.ts";
import type { View } from "#lib/views/contract.ts";
import { dueIn, tenantWithLead } from "./exceptions.ts";

async function tenantWithViews() {
  const { tenant, create, call } = await tenantWithLead();
  const ana = await userToken(tenant, ["tenant_analyst"], "ana");
  const byAna = (method: string, path: string, body?: object) =>
    api(method, path, { bearer: ana, tenant, body });
  const save = async (body: object) => (await call("POST", "/v1/views", body)).json as View;
  const listed = async () => ((await byAna("GET", "/v1/views")).json as { items: View[] }).items;
  return { tenant, create, call, byAna, save, listed };
}

it("a view counts the exceptions visible to its reader, and is private", async () => {
  const { create, call, byAna, save, listed } = await tenantWithViews();
  await create({ severity: "critical", assigned_to: "user:leo", due_at: await dueIn(30) });
  await create({ severity: "critical", assigned_to: "user:ana", due_at: await dueIn(900) });
  await create({
    severity: "critical",
    assigned_to: "user:ana",
    title: "Fee 4711",
    due_at: await dueIn(900),
  });
  await create({ severity: "low", due_at: await dueIn(900) });
  const mine = await save({
    name: "Mine",
    filters: { severity: ["critical"], assigned_to: ["me"] },
  });
  expect(mine).toMatchObject({
    open_count: 1,
    shared: false,
    sort_by: "due_at",
    created_by: "user:leo",
  });
  expect(await listed()).toEqual([]);
  expect((await byAna("GET", `/v1/views/${mine.id}`)).status).toBe(404);

  await call("PATCH", `/v1/views/${mine.id}`, { shared: true });
  expect(await listed()).toMatchObject([{ name: "Mine", open_count: 2 }]);
  const changed = await call("PATCH", `/v1/views/${mine.id}`, {
    filters: { q: "fee 4711", breach_risk: ["low"] },
  });
  expect(changed.json).toMatchObject({ open_count: 1 });
});

it("a shared view can be changed by its author and admins, and each change is audited", async () => {
  const { tenant, call, byAna, save } = await tenantWithViews();
  const shared = await save({ name: "Ours", shared: true });
  const refused = await byAna("PATCH", `/v1/views/${shared.id}`, { name: "Hers" });
  expect([refused.status, codeOf(refused)]).toEqual([403, "role_required"]);
  expect((await byAna("DELETE", `/v1/views/${shared.id}`)).status).toBe(403);
  const hers = (await byAna("POST", "/v1/views", { name: "Hers", shared: true })).json as View;
  expect(
    (await call("PATCH", `/v1/views/${hers.id}`, { name: "Renamed by an admin" })).status,
  ).toBe(200);
  expect((await call("DELETE", `/v1/views/${hers.id}`)).json).toEqual({
    id: hers.id,
    deleted: true,
  });
  await byAna("POST", "/v1/views", { name: "Own" });
  const events = await sql<{ type: string }>(
    `select type from public.security_events where tenant_id = $1 and type like 'view.%'
     order by id`,
    [tenant],
  );
  expect(events.map(({ type }) => type)).toEqual([
    "view.created",
    "view.created",
    "view.updated",
    "view.deleted",
  ]);
});

it("a view accepts only filters of the board, and a person at most 50 views", async () => {
  const { call } = await tenantWithViews();
  for (const [filters, path] of [
    [{ severity: ["urgent"] }, "filters.severity.0"],
    [{ severity: [] }, "filters.severity"],
    [{ owner: ["me"] }, "filters.owner"],
    [{ assigned_to: ["ada"] }, "filters.assigned_to.0"],
  ] as const) {
    const answer = await call("POST", "/v1/views", { name: "View", filters });
    expect([answer.status, pathsOf(answer)]).toEqual([400, [path]]);
  }
  for (let count = 0; count < 50; count += 1)
    expect((await call("POST", "/v1/views", { name: `View ${count}` })).status).toBe(201);
  expect((await call("POST", "/v1/views", { name: "One more" })).status).toBe(409);
});
