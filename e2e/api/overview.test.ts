import { beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import type { ApiKeyUsage } from "#lib/api-keys/contract.ts";
import type { Overview } from "#lib/overview/contract.ts";
import { avoidMidnight } from "../avoid-midnight.ts";
import { api, createTenant, sql, uniqueName, userToken } from "../fixtures.ts";
import { tenantWithAdmin } from "./api-keys/keys.ts";

let tenant: string;
let bearer: string;

beforeAll(async () => {
  tenant = await createTenant();
  bearer = await userToken(tenant, ["tenant_admin"], "ada");
});
beforeEach(avoidMidnight);

const overviewOf = async (as = bearer, of = tenant) =>
  (await api("GET", "/v1/overview", { bearer: as, tenant: of })).json as Overview;

type Given = {
  due_in_minutes?: number;
  amount_minor?: number;
  currency?: string;
  assigned_to?: string;
  reconciliation_id?: string;
};

async function report({ due_in_minutes = 600, ...given }: Given = {}): Promise<string> {
  const due_at = new Date(Date.now() + due_in_minutes * 60_000).toISOString();
  const body = { title: uniqueName("Payout"), severity: "high", due_at, ...given };
  const { status, json } = await api("POST", "/v1/exceptions", { bearer, tenant, body });
  expect(status).toBe(201);
  return (json as { id: string }).id;
}

const change = (id: string, body: object) =>
  api("PATCH", `/v1/exceptions/${id}`, { bearer, tenant, body });

/** The counts and sums of the rows themselves. */
async function counted(of: string) {
  const [row] = await sql<{ deadlines: object; reconciliations: object }>(
    `select
      (select jsonb_object_agg(k, v)
        from (select concat_ws('|', assigned_to, currency) as k,
        jsonb_build_array(count(*), coalesce(sum(amount_minor), 0)) as v
        from public.exceptions where tenant_id = $1 and status in ('open', 'in_review')
        group by coalesce(assigned_to, ''), coalesce(currency, ''), assigned_to,
          currency) x) as deadlines,
      (select jsonb_object_agg(k, v)
        from (select concat_ws('|', reconciliation_id, currency) as k,
        jsonb_build_array(count(*), coalesce(sum(amount_minor), 0)) as v
        from public.exceptions where tenant_id = $1 and status in ('open', 'in_review')
        group by reconciliation_id, currency) x) as reconciliations`,
    [of],
  );
  return { ...row, assignees: row?.deadlines };
}

/** The same counts and sums according to the counters. */
async function counters(of: string) {
  const [row] = await sql<{ deadlines: object; assignees: object; reconciliations: object }>(
    `select
      (select jsonb_object_agg(k, v)
        from (select concat_ws('|', nullif(assigned_to, ''), nullif(currency, '')) as k,
        jsonb_build_array(sum(open_count), sum(amount_minor)) as v
        from private.open_by_deadline where tenant_id = $1 group by assigned_to, currency
        having sum(open_count) <> 0 or sum(amount_minor) <> 0) x) as deadlines,
      (select jsonb_object_agg(k, v)
        from (select concat_ws('|', nullif(assigned_to, ''), nullif(currency, '')) as k,
        jsonb_build_array(sum(open_count), sum(amount_minor)) as v
        from private.open_by_assignee where tenant_id = $1 group by assigned_to, currency
        having sum(open_count) <> 0 or sum(amount_minor) <> 0) x) as assignees,
      (select jsonb_object_agg(k, v)
        from (select concat_ws('|', nullif(reconciliation_id, ''), nullif(currency, '')) as k,
        jsonb_build_array(sum(open_count), sum(amount_minor)) as v
        from private.open_by_reconciliation where tenant_id = $1 group by reconciliation_id,
          currency having sum(open_count) <> 0 or sum(amount_minor) <> 0) x) as reconciliations`,
    [of],
  );
  return row;
}

test("an empty tenant has zeros and empty lists", async () => {
  const other = await createTenant();
  const overview = await overviewOf(await userToken(other, ["tenant_admin"], "ada"), other);
  expect(overview).toMatchObject({
    summary: { total_open: 0 },
    mine: { open_count: 0 },
    money: [],
    reconciliations: [],
    imports: [],
    runs: [],
  });
  expect(overview.days).toHaveLength(30);
  expect(overview.outlook.hours).toHaveLength(9);
  expect(overview.keys).toMatchObject({ calls: [], expiring: [] });
  expect(overview.webhooks).toMatchObject({ active_count: 0, items: [] });
});

test("money and deadlines follow every change of an exception", async () => {
  const before = await overviewOf();
  const id = await report({
    due_in_minutes: 90,
    amount_minor: 12_500,
    currency: "SEK",
    assigned_to: "user:ada",
  });
  const of = async () => (await overviewOf()).money.find(({ currency }) => currency === "SEK");
  expect(await of()).toMatchObject({
    open_count: 1,
    open_minor: 12_500,
    due_count: 1,
    due_minor: 12_500,
    breached_count: 0,
  });
  expect((await overviewOf()).mine.due_count).toBe(before.mine.due_count + 1);
  expect((await overviewOf()).my_next.map((item) => item.id)).toContain(id);

  await change(id, { due_at: new Date(Date.now() - 60_000).toISOString(), amount_minor: 700 });
  expect(await of()).toMatchObject({
    open_minor: 700,
    due_count: 0,
    breached_count: 1,
    breached_minor: 700,
  });
  await change(id, { currency: "NOK" });
  expect(await of()).toBeUndefined();
  await change(id, { status: "resolved", resolution: "Booked." });
  expect((await overviewOf()).money.find(({ currency }) => currency === "NOK")).toBeUndefined();
  expect((await overviewOf()).mine.open_count).toBe(before.mine.open_count);
  const [today] = (await overviewOf()).days.slice(-1);
  expect(today).toMatchObject({
    breached_count: (before.days.at(-1)?.breached_count ?? 0) + 1,
    closed_count: (before.days.at(-1)?.closed_count ?? 0) + 1,
  });
});

test("an exception that is closed, reopened and closed again counts once that day", async () => {
  const closed = async () => (await overviewOf()).days.at(-1)?.closed_count ?? 0;
  const before = await closed();
  const id = await report();
  for (const body of [
    { status: "resolved", resolution: "Booked." },
    { status: "open" },
    { status: "dismissed", resolution: "A twin." },
  ])
    await change(id, body);
  expect(await closed()).toBe(before + 1);
});

test("the counters equal the rows after any concurrent changes", async () => {
  const { id: reconciliation_id } = (
    await api("POST", "/v1/reconciliations", {
      bearer,
      tenant,
      body: {
        name: "Payouts",
        period_start: "2026-10-01",
        period_end: "2026-10-31",
        left_source: "a",
        right_source: "b",
      },
    })
  ).json as { id: string };
  const ids = await Promise.all(
    Array.from({ length: 24 }, (_, at) =>
      report({
        due_in_minutes: at * 31 - 200,
        ...(at % 3 > 0 && { amount_minor: at * 1000, currency: at % 2 ? "EUR" : "USD" }),
        ...(at % 4 > 0 && { assigned_to: `user:u${at % 3}` }),
        ...(at % 5 > 0 && { reconciliation_id }),
      }),
    ),
  );
  await Promise.all([
    ...ids.map((id, at) =>
      at % 3 === 0
        ? change(id, { status: "resolved", resolution: "Booked." })
        : at % 3 === 1
          ? change(id, { assigned_to: "user:zoe", amount_minor: 1, currency: "JPY" })
          : api("POST", `/v1/exceptions/${id}/pause`, {
              bearer,
              tenant,
              body: { reason: "With the bank" },
            }),
    ),
    ...[1, 2, 3].map(() => sql("select private.merge_exception_counters()")),
  ]);
  expect(await counters(tenant)).toEqual(await counted(tenant));
  await sql("select private.merge_exception_counters()");
  expect(await counters(tenant)).toEqual(await counted(tenant));
  const overview = await overviewOf();
  const ours = overview.reconciliations.find(({ id }) => id === reconciliation_id);
  const [rows] = await sql<{ n: number }>(
    `select count(*)::integer as n from public.exceptions where tenant_id = $1
       and reconciliation_id = $2 and status in ('open', 'in_review')`,
    [tenant, reconciliation_id],
  );
  expect(ours?.open_count).toBe(rows?.n);
  await sql("select private.recount_exceptions()");
  expect(await counters(tenant)).toEqual(await counted(tenant));
});

test("the outlook and the summary add up the same exceptions", async () => {
  const { summary, outlook, as_of } = await overviewOf();
  const [rows] = await sql<{ due: number; breached: number }>(
    `select count(*) filter (where due_at > $2 and due_at < $3)::integer as due,
       count(*) filter (where due_at <= $2)::integer as breached
     from public.exceptions where tenant_id = $1 and status in ('open', 'in_review')`,
    [tenant, as_of, outlook.hours.at(-1)?.due_before],
  );
  expect(outlook.hours.reduce((sum, { due_count }) => sum + due_count, 0)).toBe(rows?.due);
  expect(summary.breached_count).toBe(rows?.breached);
});

test("an API key's calls and refusals are equal in every view of them", async () => {
  const key = await tenantWithAdmin();
  const { id, credential } = await key.create();
  await Promise.all(Array.from({ length: 3 }, () => key.use(credential)));
  await Promise.all(
    Array.from({ length: 2 }, () =>
      api("GET", "/v1/reconciliations", { bearer: credential, tenant: key.tenant }),
    ),
  );
  // A call with the key's ID and a wrong secret is only in the request log.
  await key.use(credential.replace(/\..*$/, `.${"x".repeat(43)}`));
  const read = async <Of>(path: string) =>
    (await api("GET", path, { bearer: key.admin, tenant: key.tenant })).json as Of;
  const totals = async () => {
    const { keys, as_of } = await read<Overview>("/v1/overview");
    const { call_count, refused_count } = keys?.calls.find((call) => call.id === id) ?? {
      call_count: 0,
      refused_count: 0,
    };
    const { hours } = await read<ApiKeyUsage>(`${key.path}/${id}/usage`);
    const sum = (of: "accepted" | "refused") => hours.reduce((total, hour) => total + hour[of], 0);
    // The query of the overview's link to them.
    const query = new URLSearchParams({
      actor: `api_key:${id}`,
      since: keys?.since ?? "",
      until: as_of,
    });
    const logged = async (of: string) =>
      (await read<{ items: unknown[] }>(`/v1/requests?${query}${of}`)).items.length;
    return {
      overview: [call_count, refused_count],
      usage: [sum("accepted") + sum("refused"), sum("refused")],
      list: (await key.get(id)).calls_by_day.reduce((total, calls) => total + calls, 0),
      log: [await logged(""), await logged("&status=refused")],
    };
  };
  await expect
    .poll(totals, { timeout: 90_000 })
    .toEqual({ overview: [5, 2], usage: [5, 2], list: 3, log: [5, 2] });
});

describe("by role", () => {
  it.each(["tenant_analyst", "tenant_lead"] as const)(
    "%s sees deadlines, but no keys or webhooks",
    async (role) => {
      const overview = await overviewOf(await userToken(tenant, [role], "ana"));
      expect(overview.summary.total_open).toBeGreaterThan(0);
      expect(overview).toMatchObject({ keys: null, webhooks: null });
    },
  );

  it("never counts another tenant's rows", async () => {
    const other = await createTenant();
    expect(await overviewOf(await userToken(other, ["tenant_admin"], "ada"), other)).toMatchObject({
      summary: { total_open: 0 },
      money: [],
      next: [],
    });
  });
});
