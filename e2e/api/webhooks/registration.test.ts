import { beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  api,
  createTenant,
  sql,
  tablesHolding,
  transactionNow,
  uniqueName,
  userToken,
} from "#e2e/fixtures.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";

let tenant: string;
let bearer: string;

beforeAll(async () => {
  tenant = await createTenant();
  bearer = await userToken(tenant, ["tenant_admin"]);
});

const VALID = {
  url: "https://hooks.example.com/tieout",
  events: ["exception.created"],
  secret: "sixteen bytes ok",
};

function register(body: object): Promise<Answer> {
  return api("POST", "/v1/webhooks", { bearer, tenant, body: { ...VALID, ...body } });
}

describe("the address of a webhook", () => {
  const refused = [
    // Every spelling of loopback, private, link-local, CGNAT and reserved space.
    "https://127.0.0.2/",
    "https://127.1/",
    "https://0x7f000002/",
    "https://0x7f.0.0.2/",
    "https://0177.0.0.2/",
    "https://2130706434/",
    "https://①②⑦.0.0.2/",
    "https://１２７.0.0.2/",
    "https://127。0。0。2/",
    "https://%31%32%37.0.0.2/",
    "https://127.0.0.2./",
    "https://0.0.0.0/",
    "https://0/",
    "https://10.0.0.1/",
    "https://172.31.255.255/",
    "https://192.168.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://100.127.255.254/",
    "https://192.0.0.1/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://224.0.0.1/",
    "https://239.255.255.255/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.2]/",
    "https://[::ffff:7f00:2]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[::ffff:0:127.0.0.2]/",
    "https://[::127.0.0.2]/",
    "https://[64:ff9b::7f00:2]/",
    "https://[64:ff9b::8.8.8.8]/",
    "https://[64:ff9b:1::7f00:2]/",
    "https://[2002:7f00:2::]/",
    "https://[2002:808:808::1]/",
    "https://[2001:0:53aa:64c:0:fbff:f5ff:fffe]/",
    "https://[fc00::1]/",
    "https://[fd12:3456::1]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
    "https://[2001:db8::1]/",
    "https://[100::1]/",
    "https://[3fff::1]/",
    // Names of this machine and its network.
    "https://LOCALHOST./",
    "https://localhost./",
    "https://ⓛocalhost/",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    "https://a.localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://router.lan/",
    "https://nas.home.arpa/",
    "https://intranet/",
    // Schemes, ports, user info, and text that is not a URL.
    "http://hooks.example.com/",
    "ftp://hooks.example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "//hooks.example.com/",
    "hooks.example.com",
    "https://",
    "",
    " https://hooks.example.com/",
    "https:hooks.example.com/",
    "https:\\\\hooks.example.com/",
    "https://user@hooks.example.com/",
    "https://user:password@hooks.example.com/",
    "https://hooks.example.com@127.0.0.2/",
    "https://127.0.0.2\\@hooks.example.com/",
    "https://hooks.example.com:80/",
    "https://hooks.example.com:22/",
    "https://hooks.example.com:1023/",
    "https://hooks.example.com:0/",
    "https://hooks.example.com:65536/",
    "https://hooks.example.com/#fragment",
    `https://hooks.example.com/${"x".repeat(2048)}`,
  ];

  it.each(refused)("%s is refused with the field and the reason", async (url) => {
    const answer = await register({ url });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "url", message: expect.stringMatching(/^\S.*\.$/) }],
    });
  });

  it.each(refused.slice(0, 60))("%s is refused when a webhook is moved there", async (url) => {
    const { id } = (await register({})).json as Webhook;
    const answer = await api("PATCH", `/v1/webhooks/${id}`, { bearer, tenant, body: { url } });
    expect(answer.status, answer.text).toBe(400);
    await api("DELETE", `/v1/webhooks/${id}`, { bearer, tenant });
  });

  it.each([
    ["https://hooks.example.com", "https://hooks.example.com/"],
    ["https://HOOKS.Example.com:443/a?b=c", "https://hooks.example.com/a?b=c"],
    ["https://hooks.example.com:1024/", "https://hooks.example.com:1024/"],
    ["https://hooks.example.com:65535/", "https://hooks.example.com:65535/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    // On the operator's list: any port, http too.
    ["http://127.0.0.1:81/", "http://127.0.0.1:81/"],
    ["http://localhost:3000/", "http://localhost:3000/"],
  ])("%s is stored as %s", async (url, normal) => {
    const answer = await register({ url });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toHaveProperty("url", normal);
  });
});

describe("the secret of a webhook", () => {
  const bytes = (count: number) => `whsec_${Buffer.alloc(count, "k").toString("base64")}`;

  it.each([
    "x".repeat(16),
    "x".repeat(256),
    "ü".repeat(8),
    "🔑🔑🔑🔑🔑🔑🔑🔑",
    bytes(24),
    bytes(64),
  ])("%j is accepted, and never returned", async (secret) => {
    const answer = await register({ secret });
    expect(answer.status, answer.text).toBe(201);
    const { id } = answer.json as Webhook;
    const seen = await api("GET", `/v1/webhooks/${id}`, { bearer, tenant });
    for (const { text } of [answer, seen]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('"secret"');
    }
  });

  it("is nowhere in the database", async () => {
    const canary = uniqueName("canary-secret");
    const since = await transactionNow();
    const { id } = (await register({ secret: canary })).json as Webhook;
    await api("POST", `/v1/webhooks/${id}/rotate-secret`, {
      bearer,
      tenant,
      body: { secret: `${canary}-2` },
    });
    const spellings = [
      canary,
      Buffer.from(canary).toString("base64"),
      Buffer.from(canary).toString("hex"),
    ];
    expect(await tablesHolding(spellings, since)).toEqual([]);
    expect(await tablesHolding([id], since)).toContain("public.webhooks");
  });
});

describe("the events of a webhook", () => {
  it.each([
    [["exception.deleted"]],
    [["exception.created", "x"]],
    [["*"]],
    [[]],
    ["exception.created"],
    [null],
  ])("%j is refused", async (events) => {
    const answer = await register({ events });
    expect(answer.status).toBe(400);
    expect(answer.json).toHaveProperty("errors.0.path", expect.stringMatching(/^events/));
  });

  it("an unknown one is refused with the catalogue", async () => {
    expect((await register({ events: ["exception.deleted"] })).text).toContain(
      EVENT_KINDS.join(", "),
    );
  });

  it("are stored once each, in catalogue order", async () => {
    const answer = await register({
      events: ["webhook.test", "exception.created", "webhook.test"],
    });
    expect(answer.json).toHaveProperty("events", ["exception.created", "webhook.test"]);
  });
});

describe("changes of a webhook", () => {
  it("are recorded for the auditor, without the secret", async () => {
    const { id } = (await register({ secret: "a secret to be audited" })).json as Webhook;
    await api("PATCH", `/v1/webhooks/${id}`, {
      bearer,
      tenant,
      body: { description: "Desk", events: ["exception.updated"] },
    });
    await api("POST", `/v1/webhooks/${id}/rotate-secret`, {
      bearer,
      tenant,
      body: { secret: "another one to be audited" },
    });
    await api("PATCH", `/v1/webhooks/${id}`, {
      bearer,
      tenant,
      body: { status: "disabled", reason: "It moves." },
    });
    await api("POST", `/v1/webhooks/${id}/enable`, { bearer, tenant });
    await api("DELETE", `/v1/webhooks/${id}`, { bearer, tenant });
    const recorded = await sql<{ type: string; actor: string; text: string }>(
      `select type, actor, e::text as text from security_events e where tenant_id = $1
         and target = $2 order by id`,
      [tenant, id],
    );
    expect(recorded.map(({ type }) => type)).toEqual([
      "webhook.created",
      "webhook.updated",
      "webhook.secret_rotated",
      "webhook.disabled",
      "webhook.enabled",
      "webhook.deleted",
    ]);
    for (const { actor, text } of recorded) {
      expect(actor).toBe("user:ada");
      expect(text).not.toContain("to be audited");
    }
  });

  it("that change nothing leave no trace", async () => {
    const { id, updated_at } = (await register({})).json as Webhook;
    const again = await api("PATCH", `/v1/webhooks/${id}`, {
      bearer,
      tenant,
      body: { url: VALID.url, events: VALID.events, status: "active" },
    });
    expect(again.json).toMatchObject({ updated_at });
    expect(await sql("select from security_events where target = $1", [id])).toHaveLength(1);
  });

  it("a deleted one is removed with its secret", async () => {
    const { id } = (await register({})).json as Webhook;
    const answer = await api("DELETE", `/v1/webhooks/${id}`, { bearer, tenant });
    expect(answer.json).toEqual({ id, deleted: true });
    expect(await sql("select from private.webhook_secrets where webhook_id = $1", [id])).toEqual(
      [],
    );
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/test"],
      ["POST", "/enable"],
      ["GET", "/deliveries"],
    ] as const) {
      expect(
        (
          await api(method, `/v1/webhooks/${id}${path}`, {
            bearer,
            tenant,
            body: method === "PATCH" ? {} : undefined,
          })
        ).status,
      ).toBe(404);
    }
    const list = await api("GET", "/v1/webhooks?limit=250", { bearer, tenant });
    expect(list.text).not.toContain(id);
  });

  it("a tenant may have 250", async () => {
    const full = await createTenant();
    const admin = await userToken(full, ["tenant_admin"]);
    await sql(
      `insert into webhooks (tenant_id, url, events) select $1, 'https://hooks.example.com/',
         '{webhook.test}' from generate_series(1, 250)`,
      [full],
    );
    const answer = await api("POST", "/v1/webhooks", { bearer: admin, tenant: full, body: VALID });
    expect(answer.status).toBe(409);
  });
});
