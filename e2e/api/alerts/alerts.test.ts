import { afterAll, describe, expect, it } from "vitest";
import { creating, editing } from "#e2e/exception-statements.ts";
import {
  api,
  database,
  enrol,
  sql,
  tablesHolding,
  transactionNow,
  uniqueName,
  userToken,
} from "#e2e/fixtures.ts";
import { mailsTo, mailTo } from "#e2e/mailbox.ts";
import { signIn } from "#e2e/sign-in.ts";
import { until } from "#e2e/until.ts";
import { type Behaviour, Receiver } from "#e2e/webhooks/receiver.ts";
import { Subscriber } from "#e2e/webhooks/subscriber.ts";
import type { AlertChannel } from "#lib/alerts/contract.ts";
import type { EventKind } from "#lib/wire/event-kinds.ts";

const receiver = await Receiver.start();
afterAll(() => receiver.stop());

const ALL = [
  "exception_breached",
  "exception_at_risk",
  "webhook_failing",
  "api_key_expiring",
  "connection_failing",
];

/** Collects the alerts, as the worker does each minute. */
async function collectAlerts(): Promise<void> {
  const [job] = await sql<{ id: string }>(
    "select id from graphile_worker.add_job('collect_alerts')",
  );
  await until(
    "alerts are collected",
    async () =>
      (await sql("select from graphile_worker.jobs where id = $1", [job?.id])).length === 0,
  );
}

/** A tenant with an alert channel that posts to a new path of the receiver. */
async function tenantWithChannel({
  kinds = ALL,
  behaviour = {},
}: {
  kinds?: string[];
  behaviour?: Behaviour;
} = {}) {
  const subscriber = await Subscriber.create(receiver);
  const path = `/services/${uniqueName("T")}`;
  await receiver.behave(path, behaviour);
  const url = receiver.url(path);
  const channel = await subscriber.call<AlertChannel>("POST", "/v1/alert-channels", {
    name: "#recon",
    url,
    kinds,
  });
  const read = async () => {
    const { items } = await subscriber.call<{ items: AlertChannel[] }>("GET", "/v1/alert-channels");
    return items.find(({ id }) => id === channel.id) as AlertChannel;
  };
  return { subscriber, tenant: subscriber.tenant, path, url, channel, read };
}

const INSERT_BREACHED = creating(
  `'tenant_id', $1::text, 'title', t, 'severity', 'high', 'due_at', now() - interval '1 minute',
     'assigned_to', $3::text, 'created_by', 'user:ada'`,
  `unnest($2::text[]) t`,
);

/** Creates exceptions whose deadline has passed, and waits until the SLA clock reports them. */
async function breached(
  tenant: string,
  titles: readonly string[],
  assignedTo: string | null = null,
): Promise<void> {
  await sql(INSERT_BREACHED, [tenant, titles, assignedTo]);
  await until("the clock has seen them", async () => {
    const [{ count } = { count: 0 }] = await sql<{ count: number }>(
      `select count(*)::integer as count from public.events where tenant_id = $1
         and type = 'exception.sla.breached'`,
      [tenant],
    );
    return count >= titles.length;
  });
}

const texts = (path: string) =>
  receiver.at(path).map(({ body }) => (JSON.parse(body) as { text: string }).text);

describe("a channel", () => {
  it("receives breaches in Slack's format, one message a minute, with titles as text", async () => {
    const { tenant, path, read } = await tenantWithChannel();
    const titles = Array.from({ length: 12 }, (_, number) => `Payout ${number} <!channel>`);
    await breached(tenant, titles);
    await collectAlerts();
    await receiver.gets(path, 1);
    await until("it is settled", async () => (await read()).last_sent_at !== null);
    expect(texts(path)).toHaveLength(1);
    const [text = ""] = texts(path);
    expect(text).toContain(`*12 exceptions passed their deadline* in Tenant ${tenant}`);
    // A message names at most ten of the twelve exceptions.
    expect(text.match(/\|Payout \d+ &lt;!channel&gt;>/g)).toHaveLength(10);
    expect(text).toContain(`/${tenant}/exceptions?exception=exc_`);
    expect(text).toContain("and 2 more");
    await collectAlerts();
    expect(receiver.at(path)).toHaveLength(1);
  });

  it("never exposes its URL in a response, table, request log or audit event", async () => {
    const since = await transactionNow();
    const { tenant, channel, path, subscriber } = await tenantWithChannel();
    expect(channel.url_hint).toBe(`127.0.0.1:${receiver.port}/…${path.slice(-4)}`);
    expect(
      JSON.stringify([channel, await subscriber.call("GET", "/v1/alert-channels")]),
    ).not.toContain(path);
    await subscriber.call("PATCH", `/v1/alert-channels/${channel.id}`, { name: "#ops" });
    await subscriber.call("POST", `/v1/alert-channels/${channel.id}/test`);
    await receiver.gets(path, 1);
    await subscriber.call("DELETE", `/v1/alert-channels/${channel.id}`);
    expect(await tablesHolding([path], since)).toEqual([]);
    const events = await sql(
      `select type, details from public.security_events where tenant_id = $1
         and type like 'alert_channel.%' order by seq`,
      [tenant],
    );
    expect(events).toMatchObject([
      { type: "alert_channel.created", details: { url: channel.url_hint } },
      { type: "alert_channel.updated", details: { name: { from: "#recon", to: "#ops" } } },
      { type: "alert_channel.deleted", details: { name: "#ops" } },
    ]);
    expect(
      await sql("select from private.alert_channel_urls where channel_id = $1", [channel.id]),
    ).toEqual([]);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/x",
    "https://user:pass@hooks.slack.example/x",
    "http://[::1]/x",
  ])("is refused at an address that webhooks may not reach: %s", async (url) => {
    const { subscriber, channel } = await tenantWithChannel();
    const refusal = { code: "invalid_request", errors: [{ path: "url" }] };
    expect(
      await subscriber.call("POST", "/v1/alert-channels", { name: "x", url, kinds: ALL }, [400]),
    ).toMatchObject(refusal);
    expect(
      await subscriber.call("PATCH", `/v1/alert-channels/${channel.id}`, { url }, [400]),
    ).toMatchObject(refusal);
  });

  it("that fails shows the cause and is retried, while the tenant's webhooks are served", async () => {
    const { subscriber, tenant, path, read } = await tenantWithChannel({
      behaviour: { status: 404, body: "no_service" },
    });
    const hook = await subscriber.register(["exception.sla.breached"]);
    await breached(tenant, ["Payout 4711"]);
    await collectAlerts();
    await until("the failure is reported", async () => (await read()).last_failure !== null);
    expect((await read()).last_failure).toContain("404");
    expect(await hook.gets(1)).toHaveLength(1);
    await receiver.behave(path, {});
    await sql(
      `update graphile_worker._private_jobs set run_at = now()
       where payload::text like '%' || $1 || '%'`,
      [tenant],
    );
    await sql("select graphile_worker.add_job('collect_alerts')");
    await until("it got through", async () => (await read()).last_failure === null);
    expect((await read()).last_sent_at).not.toBeNull();
    expect(receiver.at(path).length).toBeGreaterThanOrEqual(2);
  });

  it("never receives a test event's example data, or exceptions resolved before sending", async () => {
    const { subscriber, tenant, path } = await tenantWithChannel();
    const hook = await subscriber.register(["webhook.test"]);
    await subscriber.call("POST", `${hook.url}/test`, {
      type: "exception.sla.breached" satisfies EventKind,
    });
    await hook.gets(1);
    // The worker collects alerts each minute, too. One transaction shows it both changes or
    // neither.
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query(INSERT_BREACHED, [tenant, ["Payout 1", "Payout 2"], null]);
      await client.query(
        editing(
          `'status', 'resolved', 'resolution', 'Booked.'`,
          `tenant_id = $1 and title = 'Payout 1'`,
        ),
        [tenant],
      );
      await client.query("commit");
    } finally {
      client.release(true);
    }
    expect(
      await sql(
        `select from public.events where tenant_id = $1 and type = 'exception.sla.breached'
           and test_of is null`,
        [tenant],
      ),
    ).toHaveLength(2);
    await collectAlerts();
    await receiver.gets(path, 1);
    expect(texts(path)).toEqual([expect.stringContaining("1 exception passed its deadline")]);
  });

  it("is never sent, changed or tested by another tenant", async () => {
    const [mine, theirs] = [await tenantWithChannel(), await tenantWithChannel()];
    for (const [method, path] of [
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/test"],
    ] as const)
      await mine.subscriber.call(
        method,
        `/v1/alert-channels/${theirs.channel.id}${path}`,
        method === "PATCH" ? { name: "x" } : undefined,
        [404],
      );
    await breached(mine.tenant, ["Mine"]);
    await collectAlerts();
    await receiver.gets(mine.path, 1);
    expect(receiver.at(theirs.path)).toEqual([]);
  });
});

describe("mail", () => {
  it("mails only the assignee about assignments and breaches, one mail for each kind", async () => {
    const { tenant } = await tenantWithChannel();
    const [ana, leo] = [
      await enrol({ [tenant]: ["tenant_analyst"] }),
      await enrol({ [tenant]: ["tenant_lead"] }),
    ];
    await breached(
      tenant,
      Array.from({ length: 1000 }, (_, number) => `Payout ${number}`),
      `user:${ana.name}`,
    );
    await collectAlerts();
    const subjects = () => mailsTo(ana.email).map(({ subject }) => subject);
    await until("both mails are there", async () => subjects().length >= 2);
    const [passed, assigned] = [
      "1,000 exceptions passed their deadline",
      "1,000 exceptions were assigned to you",
    ];
    expect(subjects().sort()).toEqual([
      `${passed} in Tenant ${tenant}`,
      `${assigned} in Tenant ${tenant}`,
    ]);
    const mail = mailsTo(ana.email).find(({ subject }) => subject.startsWith(passed));
    expect(mail?.text).toContain("The first 10:");
    expect(mail?.text).toContain(`/${tenant}/exceptions?exception=exc_`);
    await collectAlerts();
    expect([mailsTo(ana.email).length, mailsTo(leo.email).length]).toEqual([2, 0]);
  });

  it("notifies mentioned people except the author, and never for switched-off kinds", async () => {
    const { subscriber, tenant } = await tenantWithChannel();
    const [ana, leo] = [
      await enrol({ [tenant]: ["tenant_analyst"] }),
      await enrol({ [tenant]: ["tenant_lead"] }),
    ];
    const { cookies } = await signIn(leo.email);
    const own = { tenant, headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin" } };
    const before = await api("GET", "/v1/me/notifications", own);
    expect(before.json).toMatchObject({
      email: leo.email,
      exception_breached: "mine",
      mentioned: true,
    });
    const { email: _email, ...settings } = before.json as Record<string, unknown>;
    expect(
      (
        await api("PUT", "/v1/me/notifications", {
          ...own,
          body: { ...settings, mentioned: false },
        })
      ).status,
    ).toBe(200);

    const { id } = await subscriber.call<{ id: string }>("POST", "/v1/exceptions", {
      title: "Payout 4711",
      severity: "high",
    });
    const body = `<@user:${ana.name}> and <@user:${leo.name}>: look`;
    await subscriber.call("POST", `/v1/exceptions/${id}/comments`, { body });
    await collectAlerts();
    expect((await mailTo(ana.email)).subject).toBe(
      `You were mentioned in 1 comment in Tenant ${tenant}`,
    );
    expect(mailsTo(leo.email)).toEqual([]);
  });

  it("notifies only admins of a disabled webhook", async () => {
    const { subscriber, tenant, path } = await tenantWithChannel();
    const [admin, ana] = [
      await enrol({ [tenant]: ["tenant_admin"] }),
      await enrol({ [tenant]: ["tenant_analyst"] }),
    ];
    const hook = await subscriber.register(["webhook.test"], { status: 410 });
    await subscriber.call("POST", `${hook.url}/test`);
    await until(
      "it is disabled",
      async () =>
        (await subscriber.call<{ status: string }>("GET", hook.url)).status === "disabled",
    );
    await collectAlerts();
    expect((await mailTo(admin.email)).subject).toBe(`1 webhook is failing in Tenant ${tenant}`);
    await receiver.gets(path, 1);
    expect(mailsTo(ana.email)).toEqual([]);
  });

  it("notifies admins once of a connection that fails, with the reason", async () => {
    const { subscriber, tenant, path } = await tenantWithChannel();
    const admin = await enrol({ [tenant]: ["tenant_admin"] });
    const source = await subscriber.call<{ id: string }>("POST", "/v1/sources", {
      name: "Bank",
      kind: "bank_statement",
      currency: "EUR",
    });
    const connection = await subscriber.call<{ id: string }>("POST", "/v1/connections", {
      source_id: source.id,
      kind: "https",
      address: "https://files.bank.example/today.xml",
      auth: "none",
    });
    for (let times = 0; times < 2; times++) {
      await sql(
        `select private.note_failure(c, 'The server refused it.', true) from connections c
         where id = $1`,
        [connection.id],
      );
      await collectAlerts();
    }
    const { subject, text } = await mailTo(admin.email);
    expect(subject).toBe(`1 connection is failing in Tenant ${tenant}`);
    expect(text).toContain("Bank");
    expect(text).toContain("The server refused it.");
    const [message] = await receiver.gets(path, 1);
    expect(message?.body).toContain(`/sources/${source.id}`);
    expect(mailsTo(admin.email)).toHaveLength(1);
  });
});

describe("notification settings", () => {
  it("belong to one person in one tenant, and change only in the version that was read", async () => {
    const { tenant } = await tenantWithChannel();
    const [ada, eve] = [
      await userToken(tenant, ["tenant_admin"], "ada"),
      await userToken(tenant, ["tenant_admin"], "eve"),
    ];
    const read = await api("GET", "/v1/me/notifications", { bearer: ada, tenant });
    const { email, ...settings } = read.json as Record<string, unknown>;
    expect(email).toBeNull();
    const put = (etag: string) =>
      api("PUT", "/v1/me/notifications", {
        bearer: ada,
        tenant,
        body: { ...settings, exception_breached: "all" },
        headers: { "If-Match": etag },
      });
    const etag = read.headers.get("etag") ?? "";
    expect([(await put(etag)).status, (await put(etag)).status]).toEqual([200, 412]);
    expect((await api("GET", "/v1/me/notifications", { bearer: eve, tenant })).json).toMatchObject({
      exception_breached: "mine",
    });
  });
});
