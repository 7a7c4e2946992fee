import { describe, expect, it } from "vitest";
import { codeOf, pathsOf } from "#e2e/api/api-keys/keys.ts";
import { creating } from "#e2e/exception-statements.ts";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { dueIn, tenantWithLead } from "./exceptions.ts";

describe("an exception", () => {
  it("allows only the defined transitions", async () => {
    const moves: Record<string, string[]> = {
      open: ["in_review", "resolved", "dismissed"],
      in_review: ["open", "resolved", "dismissed"],
      resolved: ["open"],
      dismissed: ["open"],
    };
    const patchTo = (status: string) => ({
      status,
      ...(["resolved", "dismissed"].includes(status) && { resolution: "Settled." }),
    });
    const { create, call } = await tenantWithLead();
    for (const from of Object.keys(moves)) {
      for (const to of Object.keys(moves).filter((status) => status !== from)) {
        const { id } = await create();
        if (from !== "open") await call("PATCH", `/v1/exceptions/${id}`, patchTo(from));
        const answer = await call("PATCH", `/v1/exceptions/${id}`, patchTo(to));
        if (moves[from]?.includes(to)) expect(answer.json).toMatchObject({ status: to });
        else expect([answer.status, codeOf(answer)]).toEqual([409, "invalid_transition"]);
      }
    }
  });

  it("needs a resolution to be closed, and loses it when it is reopened", async () => {
    const { create, call, change } = await tenantWithLead();
    const { id } = await create();
    const refused = await call("PATCH", `/v1/exceptions/${id}`, { status: "resolved" });
    expect([refused.status, pathsOf(refused)]).toEqual([400, ["resolution"]]);
    const closed = await change(id, { status: "dismissed", resolution: "Test data." });
    expect(closed).toMatchObject({
      minutes_to_breach: null,
      breach_risk: null,
      closed_at: expect.any(String),
    });
    expect(await change(id, { status: "open" })).toMatchObject({
      resolution: null,
      closed_at: null,
      breach_risk: expect.any(String),
    });
  });

  it("gets its deadline from the policy for its severity if none is given", async () => {
    const { create } = await tenantWithLead();
    for (const [severity, minutes] of [
      ["critical", 240],
      ["high", 480],
      ["medium", 1440],
      ["low", 4320],
    ] as const) {
      const created = await create({ severity });
      expect(Date.parse(created.due_at) - Date.parse(created.created_at)).toBe(minutes * 60_000);
      expect(created.minutes_to_breach).toBe(minutes);
    }
  });

  it("keeps each change with its actor and request", async () => {
    const { tenant, create, call } = await tenantWithLead();
    const { id } = await create({ details: { a: 1 } });
    const ana = await userToken(tenant, ["tenant_analyst"], "ana");
    const answer = await api("PATCH", `/v1/exceptions/${id}`, {
      bearer: ana,
      tenant,
      body: { assigned_to: "user:ana", details: { b: 2 } },
    });
    expect((answer.json as Exception).details).toEqual({ a: 1, b: 2 });
    await api("PATCH", `/v1/exceptions/${id}`, {
      bearer: ana,
      tenant,
      body: { assigned_to: "user:ana" },
    });
    const history = (await call("GET", `/v1/exceptions/${id}/history`)).json as {
      items: { kind: string; actor: string; request_id: string; changes: object }[];
    };
    expect(history.items).toHaveLength(2);
    expect(history.items[0]).toEqual({
      at: expect.any(String),
      kind: "updated",
      actor: "user:ana",
      actor_issuer: "",
      actor_subject: `ana-of-${tenant}`,
      request_id: answer.headers.get("x-request-id"),
      changes: {
        assigned_to: { from: null, to: "user:ana" },
        details: { from: { a: 1 }, to: { a: 1, b: 2 } },
      },
    });
    expect(history.items[1]).toMatchObject({
      kind: "created",
      actor: "user:leo",
      changes: { title: { from: null, to: expect.any(String) } },
    });
  });

  it("accepts money only with a currency, and only a reconciliation of its tenant", async () => {
    const { call } = await tenantWithLead();
    const other = await tenantWithLead();
    const rcn = (
      await other.call("POST", "/v1/reconciliations", {
        name: "R",
        period_start: "2026-10-01",
        period_end: "2026-10-31",
        left_source: "a",
        right_source: "b",
      })
    ).json as { id: string };
    const base = { title: "T", severity: "low" };
    for (const [change, path] of [
      [{ amount_minor: 5 }, "currency"],
      [{ currency: "EUR" }, "currency"],
      [{ reconciliation_id: rcn.id }, "reconciliation_id"],
    ] as const) {
      const answer = await call("POST", "/v1/exceptions", { ...base, ...change });
      expect([answer.status, pathsOf(answer)]).toEqual([400, [path]]);
    }
  });
});

describe("a bulk change", () => {
  it("changes all, in one transaction and one security event", async () => {
    const { tenant, create, call } = await tenantWithLead();
    const ids = (await Promise.all([create(), create(), create()])).map(({ id }) => id);
    const answer = await call("POST", "/v1/exceptions/bulk", {
      ids,
      patch: { assigned_to: "user:ana", status: "in_review" },
    });
    expect(answer.json).toMatchObject({
      updated: 3,
      items: ids.map((id) => ({ id, assigned_to: "user:ana", status: "in_review" })),
    });
    expect(
      await sql(
        `select from public.security_events where tenant_id = $1
           and type = 'exceptions.bulk_updated'`,
        [tenant],
      ),
    ).toHaveLength(1);
  });

  it("changes none if one can't move or doesn't exist, and names it", async () => {
    const { create, call, change } = await tenantWithLead();
    const [open, closed] = [await create(), await create()];
    await change(closed.id, { status: "resolved", resolution: "Done." });
    const foreign = await (await tenantWithLead()).create();
    const moved = await call("POST", "/v1/exceptions/bulk", {
      ids: [open.id, closed.id],
      patch: { status: "in_review" },
    });
    expect([moved.status, codeOf(moved), pathsOf(moved)]).toEqual([
      409,
      "invalid_transition",
      ["ids.1"],
    ]);
    const missing = await call("POST", "/v1/exceptions/bulk", {
      ids: [open.id, foreign.id],
      patch: { status: "in_review" },
    });
    expect([missing.status, pathsOf(missing)]).toEqual([404, ["ids.1"]]);
    expect((await call("GET", `/v1/exceptions/${open.id}`)).json).toMatchObject({ status: "open" });
    const unresolved = await call("POST", "/v1/exceptions/bulk", {
      ids: [open.id],
      patch: { status: "resolved" },
    });
    expect([unresolved.status, pathsOf(unresolved)]).toEqual([400, ["resolution"]]);
  });

  it("accepts 500 and not 501, and none twice", async () => {
    const { tenant, call } = await tenantWithLead();
    const rows = await sql<{ id: string }>(
      creating(
        `'tenant_id', $1::text, 'title', 'T', 'severity', 'low', 'due_at', now(), 'created_by',
           'user:leo'`,
        `generate_series(1, 501)`,
      ),
      [tenant],
    );
    const ids = rows.map(({ id }) => id);
    expect(
      (await call("POST", "/v1/exceptions/bulk", { ids, patch: { severity: "high" } })).status,
    ).toBe(400);
    expect(
      (
        await call("POST", "/v1/exceptions/bulk", {
          ids: [ids[0], ids[0]],
          patch: { severity: "high" },
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await call("POST", "/v1/exceptions/bulk", {
          ids: ids.slice(1),
          patch: { severity: "high" },
        })
      ).json,
    ).toMatchObject({
      updated: 500,
    });
  });
});

describe("the ledger", () => {
  it("explains in rows that add up why an exception breached", async () => {
    const { create, change, call } = await tenantWithLead();
    const { id } = await create({ due_at: await dueIn(30) });
    await change(id, { due_at: await dueIn(90) });
    await change(id, { due_at: await dueIn(-1) });
    await change(id, { status: "resolved", resolution: "Found." });
    const ledger = (await call("GET", `/v1/exceptions/${id}/ledger`)).json as {
      breached: boolean;
      explanation: string;
      rows: {
        kind: string;
        elapsed_seconds: number;
        moved_seconds: number;
        remaining_seconds: number;
      }[];
    };
    expect(ledger.rows.map(({ kind }) => kind)).toEqual([
      "set",
      "crossed",
      "moved",
      "moved",
      "crossed",
      "resolved",
    ]);
    for (const [index, row] of ledger.rows.entries()) {
      const before = ledger.rows[index - 1];
      if (before)
        expect(row.remaining_seconds).toBeCloseTo(
          before.remaining_seconds - row.elapsed_seconds + row.moved_seconds,
          3,
        );
    }
    expect(ledger).toMatchObject({
      breached: true,
      explanation: expect.stringMatching(/^Resolved .* after its deadline\..*moved 2 times/),
    });
  });

  it("reports whether a deadline was met", async () => {
    const { create, change, call } = await tenantWithLead();
    const { id } = await create({ due_at: await dueIn(600) });
    await change(id, { status: "dismissed", resolution: "Noise." });
    expect((await call("GET", `/v1/exceptions/${id}/ledger`)).json).toMatchObject({
      breached: false,
      explanation: expect.stringMatching(/^Dismissed 9 h 59 min before/),
    });
  });
});

describe("the SLA policy", () => {
  const policy = {
    minutes_to_resolve: { critical: 10, high: 20, medium: 30, low: 40 },
    at_risk_thresholds: [120, 15],
  };

  it("previews what a change would move, and moves only deadlines from the policy", async () => {
    const { create, call } = await tenantWithLead();
    const own = await create({ severity: "high" });
    const exception = await create({ severity: "high", due_at: await dueIn(480) });
    const pinned = await create({ severity: "high" });
    await call("PATCH", `/v1/exceptions/${pinned.id}`, { due_at: await dueIn(500) });
    const trial = await call("PUT", "/v1/sla-policy", { ...policy, dry_run: true });
    expect(trial.json).toMatchObject({
      dry_run: true,
      impact: { changed: 1, earlier: 1, later: 0, by_severity: { high: 1 } },
    });
    expect((await call("GET", "/v1/sla-policy")).json).toMatchObject({
      minutes_to_resolve: { high: 480 },
      at_risk_thresholds: [240, 60],
    });
    const done = await call("PUT", "/v1/sla-policy", policy);
    expect(done.json).toMatchObject({
      dry_run: false,
      impact: { changed: 1 },
      at_risk_thresholds: [120, 15],
      updated_by: "user:leo",
    });
    const dueOf = async (id: string) =>
      ((await call("GET", `/v1/exceptions/${id}`)).json as Exception).due_at;
    expect(Date.parse(await dueOf(own.id)) - Date.parse(own.created_at)).toBe(20 * 60_000);
    expect(await dueOf(exception.id)).toBe(exception.due_at);
  });

  it("is never overwritten unseen by a change with If-Match", async () => {
    const { tenant, lead, call } = await tenantWithLead();
    const put = (ifMatch: string, body: object) =>
      api("PUT", "/v1/sla-policy", {
        bearer: lead,
        tenant,
        body,
        headers: { "If-Match": ifMatch },
      });
    const seen = (await call("GET", "/v1/sla-policy")).headers.get("etag") ?? "";
    const trial = await put(seen, { ...policy, dry_run: true });
    expect([trial.status, versionOf(trial.headers)]).toEqual([
      200,
      versionOf(new Headers({ ETag: seen })),
    ]);
    const [first, second] = await Promise.all([
      put(seen, policy),
      put(seen, { ...policy, at_risk_thresholds: [99] }),
    ]);
    expect([first?.status, second?.status].sort()).toEqual([200, 412]);
    const now = await call("GET", "/v1/sla-policy");
    expect(now.headers.get("etag")).not.toBe(seen);
    expect((await put(seen, { ...policy, dry_run: true })).status).toBe(412);
    expect((await put(now.headers.get("etag") ?? "", policy)).status).toBe(200);
    expect((await call("PUT", "/v1/sla-policy", policy)).status).toBe(200);
  });

  it("can be changed by admins and leads, and read by every member", async () => {
    const tenant = await createTenant();
    const ana = await userToken(tenant, ["tenant_analyst"], "ana");
    expect((await api("GET", "/v1/sla-policy", { bearer: ana, tenant })).status).toBe(200);
    expect((await api("PUT", "/v1/sla-policy", { bearer: ana, tenant, body: policy })).status).toBe(
      403,
    );
  });
});

/**
 * The part of an entity tag that identifies the version. After the dash, it identifies the body.
 */
const versionOf = (headers: Headers) => headers.get("etag")?.split("-")[0];

describe("the report", () => {
  it("counts what was opened, resolved and breached, as JSON and as CSV", async () => {
    const { tenant, lead, create, change, call } = await tenantWithLead();
    await create({ severity: "high", due_at: await dueIn(-1), assigned_to: "user:ana" });
    const { id } = await create({ severity: "low", due_at: await dueIn(600) });
    await change(id, { status: "resolved", resolution: "Found." });
    const span = { since: await dueIn(-60), until: await dueIn(60) };
    const bySeverity = (
      await call("GET", "/v1/exceptions/sla/report", undefined, { ...span, by: "severity" })
    ).json as { rows: object[] };
    expect(bySeverity.rows).toEqual([
      {
        key: "high",
        opened: 1,
        resolved: 0,
        breached: 1,
        breach_rate: 1,
        median_minutes_to_resolve: null,
        p90_minutes_to_resolve: null,
      },
      {
        key: "low",
        opened: 1,
        resolved: 1,
        breached: 0,
        breach_rate: 0,
        median_minutes_to_resolve: 0,
        p90_minutes_to_resolve: 0,
      },
    ]);
    const csv = await api("GET", "/v1/exceptions/sla/report/export", {
      bearer: lead,
      tenant,
      query: { ...span, by: "assigned_to", format: "csv" },
    });
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(csv.text.split("\r\n").slice(0, 2)).toEqual([
      "key,opened,resolved,breached,breach_rate,median_minutes_to_resolve,p90_minutes_to_resolve",
      "user:ana,1,0,1,1,,",
    ]);
    expect(
      (
        await call("GET", "/v1/exceptions/sla/report", undefined, {
          since: span.until,
          until: span.since,
        })
      ).status,
    ).toBe(400);
  });
});
