import { beforeAll, describe, expect, test } from "vitest";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import type { Sandbox } from "#lib/tenants/contract.ts";
import { api, createTenant, enrol, sql, stack, uniqueName, userToken } from "../fixtures.ts";
import { mailsTo } from "../mailbox.ts";
import { until } from "../until.ts";
import { credentialOf } from "./api-keys/keys.ts";

const OFFICE_HOURS = [{ day: "monday", from: "09:00", to: "17:00" }];
const SCOPES = ["write:reconciliations", "read:reconciliations", "read:exceptions"];

/** A live tenant with an admin, its sandbox, and a key of each. */
async function tenantWithSandbox() {
  const live = await createTenant();
  const bearer = await userToken(live, ["tenant_admin"]);
  const created = await api("POST", "/v1/sandbox", { bearer, tenant: live });
  expect(created.status, created.text).toBe(200);
  const sandbox = (created.json as Sandbox).tenant_id;
  const keyOf = async (tenant: string) => {
    const { json } = await api("POST", `/v1/tenants/${tenant}/api-keys`, {
      bearer,
      tenant,
      body: { name: "Build", scopes: SCOPES },
    });
    return json as { key_id: string; key_secret: string };
  };
  return {
    live,
    bearer,
    sandbox,
    liveKey: await keyOf(live),
    testKey: await keyOf(sandbox),
    inSandbox: (method: string, path: string, body?: object) =>
      api(method, `/v1${path}`, { bearer, tenant: sandbox, body }),
  };
}

let one: Awaited<ReturnType<typeof tenantWithSandbox>>;
beforeAll(async () => {
  one = await tenantWithSandbox();
});

const reset = (bearer: string, tenant: string, body: object = {}) =>
  api("POST", "/v1/sandbox/reset", { bearer, tenant, body });

const reasonOf = ({ json }: { json: unknown }) => (json as { reason?: string }).reason;

const rowsOf = async (tenant: string) => {
  const [emptied] = await sql<{ names: string[] }>(
    "select private.tables_emptied_by_reset() as names",
  );
  const counts = await Promise.all(
    (emptied?.names ?? []).map(async (name) => {
      const rows = await sql(`select from ${name} where tenant_id = $1`, [tenant]);
      return [name, rows.length] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
};

describe("a sandbox", () => {
  test("belongs to a live tenant, which names it, and reports its own kind", async () => {
    const { live, sandbox, bearer } = one;
    expect(sandbox).toBe(`${live}.sandbox`);
    const again = await api("POST", "/v1/sandbox", { bearer, tenant: live });
    expect([again.status, again.json]).toEqual([
      200,
      { tenant_id: sandbox, reconciliation_id: null },
    ]);
    const meOf = async (tenant: string) =>
      (await api("GET", "/v1/me", { bearer, tenant })).json as object;
    expect(await meOf(live)).toMatchObject({ kind: "live", sandbox_id: sandbox });
    expect(await meOf(sandbox)).toMatchObject({
      tenant_name: `Tenant ${live}`,
      kind: "sandbox",
      sandbox_id: null,
      principal: { roles: ["tenant_admin"] },
    });
    expect(reasonOf(await api("POST", "/v1/sandbox", { bearer, tenant: sandbox }))).toBe(
      "tenant_kind",
    );
  });

  test("has the people of its live tenant with their roles, and nobody else", async () => {
    const { live, sandbox } = one;
    const status = async (bearer: string) =>
      (await api("GET", "/v1/exceptions", { bearer, tenant: sandbox })).status;
    expect(await status(await userToken(live, ["tenant_analyst"]))).toBe(200);
    expect(await status(await userToken(sandbox, ["tenant_admin"]))).toBe(403);
    expect(await status(await userToken(await createTenant(), ["tenant_admin"]))).toBe(403);
    const analyst = await reset(await userToken(live, ["tenant_analyst"]), sandbox);
    expect(analyst.status).toBe(403);
    const none = await createTenant();
    const admin = await userToken(none, ["tenant_admin"]);
    expect((await api("GET", "/v1/me", { bearer: admin, tenant: `${none}.sandbox` })).status).toBe(
      403,
    );
  });

  test("has keys that only work in it, and those of the live tenant don't", async () => {
    const { live, sandbox, liveKey, testKey } = one;
    expect(testKey.key_secret).toMatch(/^tks_test_[0-9A-Za-z]{49}$/);
    expect(liveKey.key_secret).toMatch(/^tks_[0-9A-Za-z]{49}$/);
    const use = async (key: typeof liveKey, tenant: string) =>
      (await api("GET", "/v1/exceptions", { bearer: credentialOf(key), tenant })).status;
    expect([await use(testKey, sandbox), await use(testKey, live)]).toEqual([200, 403]);
    expect([await use(liveKey, live), await use(liveKey, sandbox)]).toEqual([200, 403]);
    const rotated = await api(
      "POST",
      `/v1/tenants/${sandbox}/api-keys/${await idOf(testKey)}/rotate`,
      {
        bearer: one.bearer,
        tenant: sandbox,
        body: {},
      },
    );
    expect(rotated.json).toMatchObject({ key_secret: expect.stringMatching(/^tks_test_/) });
  });

  test("sends no mail, and names the tenant to invite people to", async () => {
    const { live, sandbox, bearer } = one;
    const email = `${uniqueName("nia")}@mail.example`;
    const invited = await api("POST", `/v1/tenants/${sandbox}/invitations`, {
      bearer,
      tenant: sandbox,
      body: { email, roles: ["tenant_analyst"] },
    });
    expect([invited.status, reasonOf(invited)]).toEqual([409, "tenant_kind"]);
    const person = await enrol({ [live]: ["tenant_admin"] });
    await one.inSandbox("PUT", "/me/notifications", {});
    const late = await one.inSandbox("POST", "/exceptions", {
      title: "Late payout",
      severity: "high",
      assigned_to: `user:${person.name}`,
      due_at: "2026-01-01T00:00:00Z",
    });
    expect(late.status, late.text).toBe(201);
    await sql("select private.collect_alerts()");
    expect(
      await sql("select from private.alerts where tenant_id = any ($1) and recipient = $2", [
        [live, sandbox],
        `account:${person.id}`,
      ]),
    ).toEqual([]);
    expect([await mailsTo(email), await mailsTo(person.email)]).toEqual([[], []]);
    expect((await one.inSandbox("GET", "/members")).text).toContain(person.name);
    const demoted = await one.inSandbox("PATCH", `/tenants/${sandbox}/members/${person.id}`, {
      roles: ["tenant_lead"],
    });
    expect([demoted.status, reasonOf(demoted)]).toEqual([409, "tenant_kind"]);
  });

  test("has fixed limits, whatever the operator allows", async () => {
    const { live, sandbox } = one;
    const [quotas] = await sql(
      "select private.quota_limit($1, 'lines') as live, private.quota_limit($2, 'lines') as sandbox",
      [live, sandbox],
    );
    expect(quotas).toMatchObject({ sandbox: "50000" });
  });
});

test("no credential resets a live tenant", async () => {
  const { live, bearer, liveKey } = one;
  await api("POST", "/v1/exceptions", {
    bearer,
    tenant: live,
    body: { title: "Kept", severity: "low" },
  });
  const refused = [
    await reset(bearer, live, { sample: true }),
    await reset(credentialOf(liveKey), live),
    await reset(stack.secretKey, live),
  ];
  expect(refused.map((answer) => [answer.status, reasonOf(answer)])).toEqual(
    refused.map(() => [409, "tenant_kind"]),
  );
  expect((await reset(stack.publishableKey, live)).status).toBe(403);
  expect(await rowsOf(live)).toMatchObject({ "public.exceptions": 1 });
});

test("a sample has matches, a suggestion, and exceptions on time and late", async () => {
  const { sandbox, bearer, testKey, inSandbox } = await tenantWithSandbox();
  const answer = await reset(credentialOf(testKey), sandbox, { sample: true });
  expect(answer.status, answer.text).toBe(200);
  const { reconciliation_id: id } = answer.json as Sandbox;
  await until("the sample is matched", async () => {
    const runs = await sql<{ status: string }>(
      "select status from public.runs where tenant_id = $1",
      [sandbox],
    );
    return runs.length > 0 && runs.every(({ status }) => status === "done");
  });
  const period = (await inSandbox("GET", `/reconciliations/${id}`)).json as Reconciliation;
  expect(new Date(period.period_end).getTime()).toBeLessThan(Date.now());
  const { items } = (await inSandbox("GET", `/reconciliations/${id}/matches`)).json as {
    items: { state: string }[];
  };
  expect([period.matched_count, period.unmatched_count]).toEqual([6, 3]);
  expect(items.map(({ state }) => state).toSorted()).toEqual([
    "confirmed",
    "confirmed",
    "confirmed",
    "suggested",
  ]);
  const due = await sql<{ hours: number }>(
    `select ceil(extract(epoch from due_at - now()) / 3600)::integer as hours
     from public.exceptions where tenant_id = $1 and status = 'open' order by due_at`,
    [sandbox],
  );
  expect(due.map(({ hours }) => hours)).toEqual([-1, 0, 1, 48, 72, 72]);

  for (const [path, body] of [
    [
      "/webhooks",
      {
        url: "http://127.0.0.1:9/",
        events: ["exception.created"],
        secret: uniqueName("secret of mine"),
      },
    ],
    ["/integrations", { idempotencyKey: uniqueName("key"), note: "A record" }],
    ["/calendars", { name: "Office", time_zone: "UTC", weekly: OFFICE_HOURS }],
    ["/exceptions", { title: "Late", severity: "low" }],
  ] as const)
    expect((await inSandbox("POST", path, body)).status).toBe(201);
  const closed = await inSandbox("POST", `/reconciliations/${id}/close`, {});
  expect(closed.status, closed.text).toBe(200);
  expect(Object.keys(await rowsOf(sandbox)).length).toBeGreaterThan(20);

  // Another reset removes everything except keys, webhooks and logs.
  const emptied = await reset(bearer, sandbox);
  expect(emptied.status, emptied.text).toBe(200);
  expect(await rowsOf(sandbox)).toEqual({ "public.sla_policies": 1 });
  expect((await inSandbox("GET", "/webhooks")).json).toMatchObject({ items: [{}] });
  expect(
    (await api("GET", "/v1/exceptions", { bearer: credentialOf(testKey), tenant: sandbox })).json,
  ).toMatchObject({ items: [] });
  const events = await sql<{ type: string }>(
    `select type from public.security_events where tenant_id = $1 and type like 'sandbox.%'
     order by seq`,
    [sandbox],
  );
  expect(events.map(({ type }) => type)).toEqual([
    "sandbox.reset",
    "sandbox.sample_loaded",
    "sandbox.reset",
  ]);
});

test("two resets at once both succeed, and leave one sample", async () => {
  const { sandbox, bearer } = await tenantWithSandbox();
  const answers = await Promise.all([1, 2].map(() => reset(bearer, sandbox, { sample: true })));
  for (const answer of answers)
    expect([200, "sandbox_busy", "lines_changing"]).toContain(reasonOf(answer) ?? answer.status);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect(await rowsOf(sandbox)).toMatchObject({ "public.sources": 2, "public.reconciliations": 1 });
});

test.each([
  [
    "a run",
    `insert into public.runs (tenant_id, reconciliation_id, pair_no, status, dry_run)
     select tenant_id, id, pair_no, 'running', '{}' from public.reconciliations
     where tenant_id = $1`,
  ],
  [
    "an import",
    `insert into public.imports (tenant_id, source_no, status, format)
     select tenant_id, source_no, 'reading', 'csv' from public.sources where tenant_id = $1`,
  ],
])(
  "while %s is running, a reset is refused as retryable and deletes nothing",
  async (_, working) => {
    const { sandbox, bearer } = await tenantWithSandbox();
    await reset(bearer, sandbox, { sample: true });
    await sql(working, [sandbox]);
    const refused = await reset(bearer, sandbox);
    expect([refused.status, reasonOf(refused)]).toEqual([409, "sandbox_busy"]);
    expect(refused.json).toMatchObject({ retryable: true });
    expect(await rowsOf(sandbox)).toMatchObject({ "public.sources": 2 });
  },
);

async function idOf({ key_id }: { key_id: string }): Promise<string> {
  const [key] = await sql<{ id: string }>("select id from public.api_keys where key_id = $1", [
    key_id,
  ]);
  return key?.id ?? "";
}
