import { describe, expect, it } from "vitest";
import { codeOf, pathsOf } from "#e2e/api/api-keys/keys.ts";
import { creating, editing } from "#e2e/exception-statements.ts";
import { api, sql, writtenByHand } from "#e2e/fixtures.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import type { SlaChanges, SlaFacets } from "#lib/exceptions/sla/contract.ts";
import { dueIn, slaEvents, tenantWithLead } from "./exceptions.ts";

describe("the SLA monitor", () => {
  it.each([
    [-1, 0, "breached"],
    [0, -30, "breached"],
    [0, 30, "high"],
    [59, -30, "high"],
    [59, -1, "high"],
    [59, 30, "medium"],
    [60, -30, "medium"],
    [60, -1, "medium"],
    [60, 30, "medium"],
    [240, -30, "medium"],
    [240, -1, "medium"],
    [240, 30, "low"],
    [241, -30, "low"],
    [241, -1, "low"],
    [241, 30, "low"],
  ])(
    "shows a deadline in %i min %i s as %s in the list, the summary and the event",
    async (minutes, seconds, risk) => {
      const { tenant, create, board } = await tenantWithLead();
      const created = await create({ due_at: await dueIn(minutes, seconds) });
      const { items, summary, as_of } = await board();
      expect(items).toHaveLength(1);
      const left = Math.ceil((Date.parse(created.due_at) - Date.parse(as_of)) / 60_000) + 0;
      expect(items[0]).toMatchObject({
        id: created.id,
        breach_risk: risk,
        minutes_to_breach: left,
      });
      expect(summary).toEqual({
        breached_count: risk === "breached" ? 1 : 0,
        at_risk_count: risk === "high" || risk === "medium" ? 1 : 0,
        on_track_count: risk === "low" ? 1 : 0,
        total_open: 1,
      });
      const types = (await slaEvents(tenant)).map(({ type }) => type);
      expect(types).toEqual(
        risk === "low"
          ? []
          : [risk === "breached" ? "exception.sla.breached" : "exception.sla.at_risk"],
      );
    },
  );

  it("lists open and in-review exceptions by deadline, and counts all of them", async () => {
    const { create, change, board } = await tenantWithLead();
    const late = await create({
      title: "late",
      due_at: await dueIn(-5),
      severity: "low",
      assigned_to: "user:ana",
    });
    const soon = await create({
      title: "soon",
      due_at: await dueIn(30),
      severity: "critical",
      status: "in_review",
    });
    const later = await create({
      title: "later",
      due_at: await dueIn(600),
      severity: "high",
      assigned_to: "user:zoe",
    });
    const done = await create({ title: "done", due_at: await dueIn(10) });
    await change(done.id, { status: "resolved", resolution: "Found it." });
    const ids = async (query: Record<string, string>) =>
      (await board(query)).items.map(({ id }) => id);
    expect(await ids({})).toEqual([late.id, soon.id, later.id]);
    expect(await ids({ sortBy: "breach_risk" })).toEqual([late.id, soon.id, later.id]);
    expect(await ids({ sortBy: "severity" })).toEqual([soon.id, later.id, late.id]);
    expect(await ids({ sortBy: "assigned_to" })).toEqual([late.id, later.id, soon.id]);
    expect(await ids({ withinMinutes: "30" })).toEqual([late.id, soon.id]);
    expect(await ids({ withinMinutes: "0" })).toEqual([late.id]);
    expect(await ids({ severity: "high" })).toEqual([later.id]);
    expect(await ids({ assigned_to: "user:ana" })).toEqual([late.id]);
    expect(await ids({ status: "in_review" })).toEqual([soon.id]);
    expect(await ids({ breach_risk: "high" })).toEqual([soon.id]);
    expect(await ids({ breach_risk: "low" })).toEqual([later.id]);
    expect((await board({ breach_risk: "low" })).summary).toEqual({
      breached_count: 1,
      at_risk_count: 1,
      on_track_count: 1,
      total_open: 3,
    });
  });

  it("filters by several values, unassigned, oneself, reason, reconciliation and money", async () => {
    const { create, board, call } = await tenantWithLead();
    const { json } = await call("POST", "/v1/reconciliations", {
      name: "October",
      period_start: "2026-10-01",
      period_end: "2026-10-31",
      left_source: "a",
      right_source: "b",
    });
    const { id: reconciliation_id } = json as { id: string };
    const money = (amount_minor: number, currency = "EUR") => ({ amount_minor, currency });
    await create({
      title: "a",
      due_at: await dueIn(-5),
      severity: "low",
      assigned_to: "user:ana",
      reason_code: "fee,bank",
    });
    await create({
      title: "b",
      due_at: await dueIn(30),
      severity: "critical",
      assigned_to: "user:leo",
      ...money(500),
    });
    await create({
      title: "c",
      due_at: await dueIn(120),
      severity: "high",
      reconciliation_id,
      ...money(90_000, "USD"),
    });
    await create({
      title: "d",
      due_at: await dueIn(900),
      severity: "medium",
      reason_code: "late",
      ...money(7000),
    });
    const titles = async (query: Record<string, string>) =>
      (await board(query)).items.map(({ title }) => title).join("");
    expect(await titles({ severity: "low,critical" })).toBe("ab");
    expect(await titles({ assigned_to: "me,none" })).toBe("bcd");
    expect(await titles({ assigned_to: "none" })).toBe("cd");
    expect(await titles({ assigned_to: "user:ana,me,user:leo" })).toBe("ab");
    expect(await titles({ breach_risk: "breached,low" })).toBe("ad");
    expect(await titles({ breach_risk: "at_risk,low" })).toBe("bcd");
    expect(await titles({ breach_risk: "high,medium,low,breached" })).toBe("abcd");
    expect(await titles({ reason_code: "fee\\,bank,late" })).toBe("ad");
    expect(await titles({ reconciliation_id })).toBe("c");
    expect(await titles({ reconciliation_id: `${reconciliation_id},none` })).toBe("abcd");
    expect(await titles({ currency: "EUR,none", amount_from: "501" })).toBe("d");
    expect(await titles({ due_before: await dueIn(90), breach_risk: "high,medium,low" })).toBe("b");
    expect(await titles({ status: "in_review,open", severity: "high", assigned_to: "none" })).toBe(
      "c",
    );
    expect(await titles({ sortBy: "amount" })).toBe("dbca");
  });

  it("finds and counts exceptions that breached or closed in a period", async () => {
    const { create, change, call } = await tenantWithLead();
    const late = await create({ title: "late", due_at: await dueIn(-5) });
    const reopened = await create({ title: "reopened", due_at: await dueIn(600) });
    const fields = { status: "resolved", resolution: "Booked." };
    await change(reopened.id, fields);
    await change(reopened.id, { status: "open" });
    await change((await create({ title: "closed", due_at: await dueIn(600) })).id, fields);
    const titles = async (query: Record<string, string>) => {
      const { items } = (await call("GET", "/v1/exceptions", undefined, query)).json as {
        items: { title: string }[];
      };
      const { total } = (
        await call("GET", "/v1/exceptions/sla/facets", undefined, { state: "all", ...query })
      ).json as { total: number };
      expect(total).toBe(items.length);
      return items.map(({ title }) => title).sort();
    };
    const [before, after] = [await dueIn(-60), await dueIn(60)];
    await expect
      .poll(() => titles({ breached_from: before, breached_before: after }), { timeout: 60_000 })
      .toEqual(["late"]);
    await change(late.id, { due_at: await dueIn(600) });
    expect(await titles({ breached_from: before, breached_before: after })).toEqual(["late"]);
    expect(await titles({ breached_from: after })).toEqual([]);
    expect(await titles({ closed_from: before })).toEqual(["closed", "reopened"]);
    expect(await titles({ closed_from: before, status: "open" })).toEqual(["reopened"]);
    expect(await titles({ closed_before: before })).toEqual([]);
  });

  it("counts each filter's values under the other filters only", async () => {
    const { create, change, call } = await tenantWithLead();
    await create({
      severity: "low",
      assigned_to: "user:ana",
      due_at: await dueIn(-5),
      amount_minor: 100,
      currency: "EUR",
    });
    await create({
      severity: "critical",
      assigned_to: "user:ana",
      due_at: await dueIn(30),
      amount_minor: 250,
      currency: "EUR",
    });
    await create({ severity: "critical", due_at: await dueIn(600), reason_code: "late" });
    const done = await create({
      severity: "high",
      assigned_to: "user:zoe",
      due_at: await dueIn(600),
    });
    await change(done.id, { status: "resolved", resolution: "Found it." });
    const facets = async (query: Record<string, string>) => {
      const { facets, ...rest } = (await call("GET", "/v1/exceptions/sla/facets", undefined, query))
        .json as SlaFacets;
      const of = (name: keyof SlaFacets["facets"]) =>
        Object.fromEntries(facets[name].map(({ value, count }) => [value, count]));
      return { ...rest, facets, of };
    };
    const all = await facets({});
    expect(all).toMatchObject({ total: 3, complete: true, paused_count: 0 });
    expect(all.of("breach_risk")).toEqual({ breached: 1, high: 1, low: 1 });
    expect(all.facets.currency).toEqual([
      { value: "EUR", count: 2, name: null, amount_minor: 350 },
      { value: "none", count: 1, name: null, amount_minor: null },
    ]);
    const critical = await facets({ severity: "critical" });
    expect(critical.total).toBe(2);
    expect(critical.of("severity")).toEqual({ critical: 2, low: 1 });
    expect(critical.of("assigned_to")).toEqual({ "user:ana": 1, none: 1 });
    const both = await facets({ severity: "critical", assigned_to: "user:ana" });
    expect(both.total).toBe(1);
    expect(both.of("severity")).toEqual({ critical: 1, low: 1 });
    expect(both.of("assigned_to")).toEqual({ "user:ana": 1, none: 1 });
    expect(both.of("breach_risk")).toEqual({ high: 1 });
    expect((await facets({ state: "closed" })).of("assigned_to")).toEqual({ "user:zoe": 1 });
    expect((await facets({ state: "all" })).total).toBe(4);
  });

  it("reports changes since a list was read: new, changed, no longer matching and aged", async () => {
    const { tenant, create, change, call } = await tenantWithLead();
    // All were written an hour ago, before the list is read. The risk of the aged one changed five
    // seconds ago, without a write.
    const rows = await sql<{ id: string; title: string; created_at: Date }>(
      creating(
        `'tenant_id', $1::text, 'title', t, 'severity', 'high', 'due_at',
           now() + m * interval '1 second', 'updated_at', now() - interval '1 hour', 'created_by',
           'user:leo'`,
        `(values ('assigned', 18000), ('closed', 18600), ('regraded', 19200), ('aged', 3535), ('untouched', 19800)) as x (t, m)`,
      ),
      [tenant],
    );
    const idOf = Object.fromEntries(rows.map(({ id, title }) => [title, id])) as Record<
      string,
      string
    >;
    const [assigned = "", closed = "", regraded = "", aged = "", untouched = ""] = [
      "assigned",
      "closed",
      "regraded",
      "aged",
      "untouched",
    ].map((title) => idOf[title]);
    const since = rows[0]?.created_at.toISOString() ?? "";
    await change(assigned, { assigned_to: "user:zoe" });
    await change(closed, { status: "resolved", resolution: "Found it." });
    await change(regraded, { severity: "low" });
    const fresh = await create({ title: "fresh", severity: "high", due_at: await dueIn(340) });
    await create({ title: "of no interest", severity: "low", due_at: await dueIn(340) });
    const seen = new Map<string, Exception | null>();
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query: Record<string, string> = {
        since,
        severity: "high",
        limit: "2",
        ...(cursor && { cursor }),
      };
      const page = (await call("GET", "/v1/exceptions/sla/changes", undefined, query))
        .json as SlaChanges;
      for (const { id, exception } of page.items) seen.set(id, exception);
      cursor = page.next_cursor;
      expect(page.summary.total_open).toBe(6);
    }
    expect(seen.get(assigned)).toMatchObject({ assigned_to: "user:zoe" });
    expect([seen.get(closed), seen.get(regraded)]).toEqual([null, null]);
    expect(seen.get(fresh.id)).toMatchObject({ title: "fresh" });
    expect(seen.get(aged)).toMatchObject({ breach_risk: "high" });
    expect(seen.has(untouched)).toBe(false);
    const old = await call("GET", "/v1/exceptions/sla/changes", undefined, {
      since: "2026-01-01T00:00:00Z",
    });
    expect([old.status, pathsOf(old)]).toEqual([400, ["since"]]);
  });

  it("lists closed work, last closed first, by the same filters", async () => {
    const { create, change, call } = await tenantWithLead();
    for (const title of ["one", "two", "three"]) {
      const { id } = await create({ title, severity: title === "two" ? "low" : "high" });
      await change(id, {
        status: title === "one" ? "dismissed" : "resolved",
        resolution: "Found it.",
      });
    }
    const open = await create({ title: "open" });
    const titles = async (query: Record<string, string>) => {
      const { items } = (await call("GET", "/v1/exceptions", undefined, query)).json as {
        items: Exception[];
      };
      return items.map(({ title }) => title);
    };
    expect(await titles({ sortBy: "closed_at" })).toEqual(["three", "two", "one"]);
    expect(await titles({ sortBy: "closed_at", severity: "high,critical" })).toEqual([
      "three",
      "one",
    ]);
    expect(await titles({ status: "dismissed,open" })).toEqual([open.title, "one"]);
    const first = (
      await call("GET", "/v1/exceptions", undefined, { sortBy: "closed_at", limit: "2" })
    ).json as { next_cursor: string };
    expect(await titles({ sortBy: "closed_at", limit: "2", cursor: first.next_cursor })).toEqual([
      "one",
    ]);
  });

  it.each(["due_at", "severity", "assigned_to", "breach_risk", "amount"])(
    "pages by cursor in the order of %s without a gap or a repeat",
    async (sortBy) => {
      const { tenant, board } = await tenantWithLead();
      await sql(
        creating(
          `'tenant_id', $1::text, 'title', 'T' || i, 'severity',
             (array['critical','high','medium','low'])[1 + i % 4], 'due_at',
             now() + (i % 7) * interval '1 hour', 'assigned_to',
             case when i % 3 > 0 then 'user:u' || i % 3 end, 'created_by', 'user:leo',
             'amount_minor', case when i % 5 > 0 then i % 4 * 1000 end, 'currency',
             case when i % 5 > 0 then (array['EUR','USD'])[1 + i % 2] end`,
          `generate_series(1, 60) i`,
        ),
        [tenant],
      );
      const whole = (await board({ sortBy, limit: "250" })).items.map(({ id }) => id);
      const paged: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await board({ sortBy, limit: "7", ...(cursor && { cursor }) });
        paged.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(whole).toHaveLength(60);
      expect(paged).toEqual(whole);
    },
  );

  it.each(["/v1/exceptions", "/v1/exceptions/sla"])(
    "%s finds what has every word in its title, its reason or its id",
    async (path) => {
      const { create, call } = await tenantWithLead();
      const payout = await create({ title: "Payout 4711 has no bank line" });
      const fee = await create({ title: "Fee of 100% on L_1", reason_code: "unexpected_fee" });
      await create({ title: "Fee of 1000 on LX1" });
      const found = async (q: string) => {
        const { json } = await call("GET", path, undefined, { q });
        return (json as { items: { id: string }[] }).items.map(({ id }) => id);
      };
      expect(await found("bank PAYOUT")).toEqual([payout.id]);
      expect(await found("payout missing")).toEqual([]);
      expect(await found("unexpected_")).toEqual([fee.id]);
      expect(await found("100%")).toEqual([fee.id]);
      expect(await found("l_1")).toEqual([fee.id]);
      expect(await found(payout.id)).toEqual([payout.id]);
      expect(await found("\\")).toEqual([]);
      const words = (count: number) =>
        Array.from({ length: count }, (_, n) => `payout${n}`).join(" ");
      expect([
        (await call("GET", path, undefined, { q: words(12) })).status,
        (await call("GET", path, undefined, { q: words(13) })).status,
      ]).toEqual([200, 400]);
    },
  );

  it("exports everything under the filters as CSV or NDJSON, and is recorded", async () => {
    const { tenant, call, lead } = await tenantWithLead();
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', '=T' || i, 'severity',
           case when i > 200 then 'low' else 'high' end, 'due_at', now() + i * interval '1 minute',
           'created_by', 'user:leo'`,
        `generate_series(1, 2700) i`,
      ),
      [tenant],
    );
    const taken = async (format: string, type: string) => {
      const answer = await api("GET", "/v1/exceptions/sla/export", {
        bearer: lead,
        tenant,
        query: { severity: "low", format },
      });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        expect.stringContaining(type),
      ]);
      return answer.text.trimEnd().split(/\r?\n/);
    };
    const lines = await taken("ndjson", "application/x-ndjson");
    const titles = lines.map((line) => (JSON.parse(line) as { title: string }).title);
    expect(titles).toEqual(Array.from({ length: 2500 }, (_, at) => `=T${at + 201}`));
    const [header, ...rows] = await taken("csv", "text/csv");
    expect(header).toMatch(/^id,title,/);
    expect(rows).toHaveLength(2500);
    expect(rows[0]).toContain(",'=T201,");
    const { json } = await call("GET", "/v1/security-events", undefined, { type: "data.exported" });
    const events = (json as { items: { details: object }[] }).items.map(({ details }) => details);
    expect(events).toEqual(["csv", "ndjson"].map((format) => expect.objectContaining({ format })));
  });

  it("exports closed exceptions, last closed first, and those of any status", async () => {
    const { tenant, lead } = await tenantWithLead();
    await writtenByHand(
      `insert into public.exceptions (tenant_id, title, severity, due_at, status, resolution,
         closed_at, created_by)
       select $1, 'T' || i, 'low', now() + interval '1 day',
         case when i > 300 then 'open' else 'resolved' end,
         case when i > 300 then null else 'By leo.' end,
           case when i > 300 then null else now() - i * interval '1 minute' end, 'user:leo'
       from generate_series(1, 310) i`,
      [tenant],
    );
    const titles = async (query: Record<string, string>) => {
      const { text } = await api("GET", "/v1/exceptions/export", {
        bearer: lead,
        tenant,
        query: { ...query, format: "ndjson" },
      });
      return text
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { title: string }).title);
    };
    expect(await titles({ sortBy: "closed_at" })).toEqual(
      Array.from({ length: 300 }, (_, at) => `T${at + 1}`),
    );
    expect(await titles({ status: "open" })).toHaveLength(10);
    expect(await titles({})).toHaveLength(310);
  });

  it.each([
    ["withinMinutes", "-1"],
    ["withinMinutes", "1.5"],
    ["withinMinutes", "1e309"],
    ["withinMinutes", "NaN"],
    ["withinMinutes", ""],
    ["sortBy", "title"],
    ["limit", "0"],
    ["limit", "251"],
    ["cursor", "broken"],
    ["severity", "urgent"],
    ["status", "resolved"],
    ["breach_risk", "none"],
    ["assigned_to", "ada"],
    ["severity", "critical,urgent"],
    ["severity", "critical,"],
    ["assigned_to", "none,ada"],
    ["reconciliation_id", "rcn_1"],
    ["currency", "EURO"],
    ["amount_from", "-1"],
    ["due_before", "tomorrow"],
    ["within_minutes", "5"],
  ])("refuses %s=%s", async (name, value) => {
    const { call } = await tenantWithLead();
    const answer = await call("GET", "/v1/exceptions/sla", undefined, { [name]: value });
    expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
    expect(pathsOf(answer)).toEqual([name]);
  });

  it.each([
    ["due_at", ["", "0000-01-01T00:00:00.000Z"]],
    ["due_at", ["1", "2026-11-20T09:30:00.000Z"]],
    ["breach_risk", ["\0", "2026-11-20T09:30:00.000Z"]],
    ["severity", ["high", "2026-11-20T09:30:00.000Z"]],
    ["severity", ["99999999999999999999", "2026-11-20T09:30:00.000Z"]],
    ["assigned_to", ["0user:\0", "2026-11-20T09:30:00.000Z"]],
    ["assigned_to", ["0user:\ud800", "2026-11-20T09:30:00.000Z"]],
    ["assigned_to", ["ada", "2026-11-20T09:30:00.000Z"]],
    ["amount", ["0EUR12", "2026-11-20T09:30:00.000Z"]],
    ["amount", ["0eur0000000000000000000", "2026-11-20T09:30:00.000Z"]],
  ])("rejects a forged cursor for the order of %s: %j", async (sortBy, [rank, due]) => {
    const { call } = await tenantWithLead();
    const key = [sortBy, [rank, due, "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"]];
    const cursor = Buffer.from(JSON.stringify(key)).toString("base64url");
    const answer = await call("GET", "/v1/exceptions/sla", undefined, { sortBy, cursor });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["cursor"]]);
  });

  it("accepts any whole number of minutes", async () => {
    const { create, board } = await tenantWithLead();
    await create();
    expect((await board({ withinMinutes: "9007199254740991" })).items).toHaveLength(1);
  });

  it("counts exactly as the rows do, after every change and beyond 1,000 rows", async () => {
    const { tenant, board } = await tenantWithLead();
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'T' || i, 'severity', 'low', 'due_at',
           now() + (i - 600) * interval '1 minute', 'created_by', 'user:leo'`,
        `generate_series(1, 1500) i`,
      ),
      [tenant],
    );
    await sql(editing(`'due_at', due_at + interval '3 hours'`, `tenant_id = $1 and title ~ '1$'`), [
      tenant,
    ]);
    await sql(
      editing(`'status', 'dismissed', 'resolution', 'x'`, `tenant_id = $1 and title ~ '2$'`),
      [tenant],
    );
    await sql(editing(`'status', 'open'`, `tenant_id = $1 and title ~ '22$'`), [tenant]);
    const [counted] = await sql<Record<string, number>>(
      `select count(*) filter (where due_at <= now())::int as breached_count,
         count(*) filter (where due_at > now()
           and due_at <= now() + interval '240 min')::int as at_risk_count,
         count(*) filter (where due_at > now() + interval '240 min')::int as on_track_count,
           count(*)::int as total_open
       from public.exceptions where tenant_id = $1 and status in ('open', 'in_review')`,
      [tenant],
    );
    expect((await board({ limit: "1" })).summary).toEqual(counted);
    expect(counted?.total_open).toBeGreaterThan(1000);
  });
});
