import { parse } from "csv-parse/sync";
import { beforeEach, expect, it } from "vitest";
import { api, sql } from "#e2e/fixtures.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { Fixture, line } from "../matching/matching-fixture.ts";
import { type Trail, tenantWithTrail } from "./trail.ts";

let trail: Trail;

beforeEach(async () => {
  trail = await tenantWithTrail();
});

const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 12, minute)).toISOString();

/** One event a minute, from 12:00 on. */
async function happen(...events: Partial<SecurityEvent>[]): Promise<void> {
  for (const [minute, event] of events.entries()) {
    const {
      type = "test.done",
      actor = "user:ada",
      target = null,
      cross_tenant = false,
      reason = null,
    } = event;
    await sql(
      `insert into public.security_events (tenant_id, at, type, actor, target, cross_tenant,
         reason) values ($1, $2, $3, $4, $5, $6, $7)`,
      [trail.tenant, at(minute), type, actor, target, cross_tenant, reason],
    );
  }
}

it("filters by type, kind, actor, target, time and whether a call went across tenants", async () => {
  await happen(
    { type: "api_key.created", target: "key_1" },
    { type: "api_key.revoked", target: "key_1", actor: "user:bob" },
    { type: "webhook.created", cross_tenant: true },
    { type: "api_keys.other" },
  );
  const seqs = async (query: Record<string, string>) =>
    (await trail.list(query)).items.map(({ seq }) => seq);
  expect(await seqs({})).toEqual([4, 3, 2, 1]);
  expect(await seqs({ type: "api_key.revoked" })).toEqual([2]);
  expect(await seqs({ type: "api_key.*" })).toEqual([2, 1]);
  expect(await seqs({ actor: "user:bob" })).toEqual([2]);
  expect(await seqs({ target: "key_1" })).toEqual([2, 1]);
  expect(await seqs({ cross_tenant: "true" })).toEqual([3]);
  expect(await seqs({ cross_tenant: "false" })).toEqual([4, 2, 1]);
  expect(await seqs({ since: at(1), until: at(3) })).toEqual([3, 2]);
  expect(await seqs({ type: "api_key.*", actor: "user:ada", until: at(1) })).toEqual([1]);
  expect(await seqs({ actor: "user:nobody" })).toEqual([]);
});

it("finds events by words in target, ID, actor and reason", async () => {
  const path = `/v1/tenants/${trail.tenant}/api-keys`;
  const call = (method: string, to: string, body: object) =>
    api(method, to, { bearer: trail.admin, tenant: trail.tenant, body });
  const { json } = await call("POST", path, { name: "Nightly job", scopes: ["read:exceptions"] });
  const { id } = json as { id: string };
  await call("PATCH", `${path}/${id}`, { name: "Weekly job" });
  await call("POST", `${path}/${id}/rotate`, {});
  await call("DELETE", `${path}/${id}`, { reason: "Leaked in a log" });
  const found = async (q: string) =>
    (await trail.list({ q })).items.map(({ type }) => type.replace("api_key.", ""));
  const all = ["revoked", "rotated", "updated", "created"];
  expect(await found("job")).toEqual(all);
  expect(await found("NIGHT")).toEqual(["updated", "created"]);
  expect(await found("weekly leaked")).toEqual(["revoked"]);
  expect(await found(id)).toEqual(all);
  expect(await found("ada")).toEqual(all);
  expect(await found("100%")).toEqual([]);
  const [rotated] = (await trail.list({ type: "api_key.rotated" })).items;
  expect(rotated?.details).toMatchObject({ target_name: "Weekly job" });
  const file = await trail.get("/export", { q: "night", format: "ndjson" });
  expect(file.text.trimEnd().split("\n")).toHaveLength(2);
});

it("names the period of a decision, and the line of an exclusion", async () => {
  const fixture = await Fixture.create();
  const [left, excluded] = await fixture.add("left", [
    line("a", 100),
    line("x", 5, { reference: "RG-4711" }),
  ]);
  const [right] = await fixture.add("right", [line("b", 100)]);
  const { name } = await fixture.reconciliation();
  await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
    body: { line_ids: [left, right] },
  });
  await fixture.ok("POST", `lines/${excluded}/exclude`, { body: { reason: "Not ours" } });
  const { items } = await fixture.ok<{ items: SecurityEvent[] }>("GET", "security-events", {
    query: { q: name, limit: "2" },
  });
  expect(items).toMatchObject([
    {
      type: "line.excluded",
      details: { target_name: "RG-4711", reconciliation_name: name, reason: "Not ours" },
    },
    { type: "matching.matched", details: { reconciliation_name: name } },
  ]);
});

it("pages by key: each event once, even while others are added", async () => {
  await trail.append(120);
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const page = await trail.list({ limit: "50", ...(cursor && { cursor }) });
    seen.push(...page.items.map(({ seq }) => seq));
    cursor = page.next_cursor;
    await trail.append(1);
  } while (cursor);
  expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => 120 - n));
});

it("streams all events as NDJSON and CSV, and records the export", async () => {
  await trail.append(1500);
  await happen({ reason: "=cmd|' /C calc'!A0", type: "test.formula" });
  const ndjson = await trail.get("/export", { format: "ndjson" });
  expect(ndjson.headers.get("content-type")).toBe("application/x-ndjson");
  const events = ndjson.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SecurityEvent);
  expect(events).toHaveLength(1501);
  expect(new Set(events.map(({ seq }) => seq)).size).toBe(1501);

  const csv = await trail.get("/export", { type: "test.*", format: "csv" });
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const rows = parse(csv.text, { columns: true }) as Record<string, string>[];
  expect(rows).toHaveLength(1501);
  const formula = rows.find(({ type }) => type === "test.formula");
  expect(formula?.reason).toBe("'=cmd|' /C calc'!A0");
  const last = events.find(({ seq }) => seq === 1500);
  expect(rows.find(({ seq }) => seq === "1500")).toMatchObject({
    id: last?.id,
    hash: last?.hash,
    details: '{"n":1500}',
    cross_tenant: "false",
  });

  const { items } = await trail.list({ type: "data.exported" });
  expect(items).toMatchObject([
    {
      operation: "exportSecurityEvents",
      details: { format: "csv", query: { type: "test.*" } },
      request_id: csv.headers.get("x-request-id"),
    },
    { details: { format: "ndjson", query: {} }, request_id: ndjson.headers.get("x-request-id") },
  ]);
});

it("a refused export returns a problem and no file", async () => {
  const answer = await api("GET", "/v1/security-events/export", {
    bearer: trail.admin,
    tenant: trail.tenant,
    query: { since: "yesterday", format: "csv" },
  });
  expect(answer.status).toBe(400);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
});
