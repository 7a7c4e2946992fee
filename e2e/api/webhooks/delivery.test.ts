import { describe, expect, it } from "vitest";
import { editing } from "#e2e/exception-statements.ts";
import { api, database, sql, userToken } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import { SECRET, Subscriber } from "#e2e/webhooks/subscriber.ts";
import { EVENTS } from "#lib/events/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { EVENT_KINDS, type EventKind } from "#lib/wire/event-kinds.ts";
import { receiver } from "./shared-receiver.ts";

const subscriber = await Subscriber.create(receiver);

const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

function createException(body: object = {}): Promise<Exception> {
  return subscriber.call("POST", "/v1/exceptions", {
    title: "Payout 4711",
    severity: "high",
    due_at: minutesAhead(10_000),
    ...body,
  });
}

/** A period of two sources with a line each. */
async function createPeriod(): Promise<{ id: string; lines: string[] }> {
  const make = async (name: string, external_id: string) => {
    const source = await subscriber.call<{ id: string }>("POST", "/v1/sources", {
      name,
      kind: "ledger",
      currency: "EUR",
    });
    const lines = [{ external_id, amount_minor: 100, value_date: "2026-10-05" }];
    const { items } = await subscriber.call<{ items: { id: string }[] }>(
      "POST",
      `/v1/sources/${source.id}/lines`,
      { lines },
    );
    return { source: source.id, line: items[0]?.id ?? "" };
  };
  const [left, right] = [await make("Bank", "a"), await make("Ledger", "b")];
  const { id } = await subscriber.call<{ id: string }>("POST", "/v1/reconciliations", {
    name: "October",
    period_start: "2026-10-01",
    period_end: "2026-10-31",
    left_source_id: left.source,
    right_source_id: right.source,
    auto_run: false,
  });
  return { id, lines: [left.line, right.line] };
}

describe("a delivery", () => {
  it("is signed as Standard Webhooks defines, and their package verifies it", async () => {
    const webhook = await subscriber.register(["exception.created"]);
    const exception = await createException();
    const [got] = await webhook.gets(1);
    expect(got?.verified).toEqual([SECRET]);
    expect(got?.method).toBe("POST");
    expect(got?.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
      "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(JSON.parse(got?.body ?? "")).toEqual({
      type: "exception.created",
      timestamp: exception.created_at,
      data: {
        exception: expect.objectContaining({
          id: exception.id,
          title: "Payout 4711",
          status: "open",
        }),
      },
    });
  });

  it.each([
    "sixteen bytes ok",
    "Schlüssel mit Umlauten äöü",
    "🔑🔑🔑🔑🔑🔑🔑🔑",
    `whsec_${Buffer.alloc(64, "k").toString("base64")}`,
  ])("verifies with the secret %j", async (secret) => {
    const webhook = await subscriber.register(["webhook.test"], {}, secret);
    await subscriber.call("POST", `${webhook.url}/test`);
    const [got] = await webhook.gets(1);
    expect(got?.verified).toEqual([secret]);
  });

  it("is shown with its payload, its attempts and the receiver's response", async () => {
    const webhook = await subscriber.register(["webhook.test"], {
      headers: { "x-other": "1", "content-type": "text/html" },
      body: "<b>hello</b>",
    });
    const { id, event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    const [got] = await webhook.gets(1);
    expect(got?.headers["webhook-id"]).toBe(event_id);
    const shown = await webhook.becomes(event_id, ["delivered"]);
    expect(shown).toMatchObject({
      id,
      type: "webhook.test",
      failure_kind: null,
      reason: null,
      attempt_count: 1,
      next_attempt_at: null,
      payload: JSON.parse(got?.body ?? ""),
      attempts: [
        {
          number: 1,
          cause: "event",
          status: "succeeded",
          failure_kind: null,
          status_code: 200,
          response: {
            body: "<b>hello</b>",
            truncated: false,
            headers: { "content-type": "text/html" },
          },
        },
      ],
    });
    expect(shown.attempts[0]?.response?.headers).not.toHaveProperty("x-other");
  });

  it("goes only to webhooks of its tenant that subscribe to its kind", async () => {
    const subscribed = await subscriber.register(["exception.updated"]);
    const other = await subscriber.register(["exception.sla.breached"]);
    const stranger = await Subscriber.create(receiver);
    const foreign = await stranger.register(["exception.updated"]);
    const { id } = await createException();
    await subscriber.call("PATCH", `/v1/exceptions/${id}`, { assigned_to: "user:ana" });
    await subscribed.gets(1);
    expect(await other.deliveries()).toEqual([]);
    expect(await foreign.deliveries()).toEqual([]);
    expect(await subscribed.deliveries()).toHaveLength(1);
  });

  it("exists if and only if the change committed", async () => {
    const webhook = await subscriber.register(["exception.created"]);
    const connection = await database.connect();
    try {
      await connection.query("begin");
      await connection.query(
        "insert into events (tenant_id, type, data) values ($1, 'exception.created', '{\"n\": 1}')",
        [subscriber.tenant],
      );
      const { rows } = await connection.query(
        "select id from webhook_deliveries where webhook_id = $1",
        [webhook.id],
      );
      expect(rows).toHaveLength(1);
      await connection.query("rollback");
      await connection.query(
        "insert into events (tenant_id, type, data) values ($1, 'exception.created', '{\"n\": 2}')",
        [subscriber.tenant],
      );
    } finally {
      connection.release();
    }
    const [got] = await webhook.gets(1);
    expect(JSON.parse(got?.body ?? "").data).toEqual({ n: 2 });
    expect(await webhook.deliveries()).toHaveLength(1);
  });

  it.runIf(WHOLE)("arrives for each of 2,000 events of one statement", async () => {
    const webhook = await subscriber.register(["exception.updated"]);
    await sql(
      `insert into events (tenant_id, type, data) select $1, 'exception.updated',
         jsonb_build_object('n', n) from generate_series(1, 2000) n`,
      [subscriber.tenant],
    );
    await webhook.gets(2000, 90_000);
    await until(
      "all are settled",
      async () =>
        (
          await sql(
            "select from webhook_deliveries where webhook_id = $1 and status <> 'delivered'",
            [webhook.id],
          )
        ).length === 0,
    );
    const numbers = new Set(webhook.received.map(({ body }) => JSON.parse(body).data.n));
    expect(numbers.size).toBe(2000);
    expect(webhook.received).toHaveLength(2000);
  });

  it("preserves any text of its event", async () => {
    const webhook = await subscriber.register(["exception.created"]);
    const title = "“Zahlung” \\ 🔑   </script> \u202e";
    await createException({ title, details: { deep: [{ é: 1.5 }] } });
    const [got] = await webhook.gets(1);
    expect(got?.verified).toEqual([SECRET]);
    expect(JSON.parse(got?.body ?? "").data.exception).toMatchObject({
      title,
      details: { deep: [{ é: 1.5 }] },
    });
  });
});

describe("each kind of event", () => {
  /** The actions that cause each kind of event. */
  const causes: Record<EventKind, () => Promise<unknown>> = {
    "exception.sla.at_risk": () => createException({ due_at: minutesAhead(30) }),
    "exception.sla.breached": () => createException({ due_at: minutesAhead(-1) }),
    "exception.created": () => createException(),
    "exception.updated": async () =>
      subscriber.call("PATCH", `/v1/exceptions/${(await createException()).id}`, {
        severity: "low",
      }),
    "exception.resolved": async () =>
      subscriber.call("PATCH", `/v1/exceptions/${(await createException()).id}`, {
        status: "resolved",
        resolution: "Matched.",
      }),
    "exception.paused": async () =>
      subscriber.call("POST", `/v1/exceptions/${(await createException()).id}/pause`, {
        reason: "Waiting",
      }),
    "exception.resumed": async () => {
      const { id } = await createException();
      await subscriber.call("POST", `/v1/exceptions/${id}/pause`, { reason: "Waiting" });
      await subscriber.call("POST", `/v1/exceptions/${id}/resume`);
    },
    "exception.commented": async () =>
      subscriber.call("POST", `/v1/exceptions/${(await createException()).id}/comments`, {
        body: "<@user:leo> look",
      }),
    "import.done": async () => {
      const source = await subscriber.call<{ id: string }>("POST", "/v1/sources", {
        name: "Bank",
        kind: "bank_statement",
        currency: "EUR",
      });
      await subscriber.call("POST", `/v1/sources/${source.id}/imports`, {
        lines: [{ amount: "1.00", value_date: "2026-10-05" }],
      });
    },
    "run.done": async () =>
      subscriber.call("POST", `/v1/reconciliations/${(await createPeriod()).id}/runs`, {}),
    "match.undone": async () => {
      const { id, lines } = await createPeriod();
      const match = await subscriber.call<{ id: string }>(
        "POST",
        `/v1/reconciliations/${id}/matches`,
        { line_ids: lines },
      );
      await subscriber.call("POST", `/v1/matches/${match.id}/undo`);
    },
    "reconciliation.prepared": async () =>
      subscriber.call("POST", `/v1/reconciliations/${(await createPeriod()).id}/prepare`, {}),
    "reconciliation.reviewed": async () => {
      const { id } = await createPeriod();
      await subscriber.call("POST", `/v1/reconciliations/${id}/prepare`, {});
      const reviewed = await api("POST", `/v1/reconciliations/${id}/review`, {
        bearer: await userToken(subscriber.tenant, ["tenant_lead"], "lea"),
        tenant: subscriber.tenant,
        body: {},
      });
      expect(reviewed.status).toBe(200);
    },
    "reconciliation.closed": async () =>
      subscriber.call("POST", `/v1/reconciliations/${(await createPeriod()).id}/close`),
    "reconciliation.reopened": async () => {
      const { id } = await createPeriod();
      await subscriber.call("POST", `/v1/reconciliations/${id}/close`);
      await subscriber.call("POST", `/v1/reconciliations/${id}/reopen`, {
        reason: "A page was missing",
      });
    },
    "entries.ready": async () => {
      const { id } = await createPeriod();
      await subscriber.call("PUT", `/v1/reconciliations/${id}/entry-rules`, {
        rules: { carried_left: { account: "4970", counter_account: "1200", text: "{reference}" } },
      });
      await subscriber.call("POST", `/v1/reconciliations/${id}/close`);
    },
    "books.differ": async () => {
      const { id } = await createPeriod();
      // Simulates corruption, which our code never causes.
      await sql("delete from private.open_lines where tenant_id = $1", [subscriber.tenant]);
      await sql(
        "select private.recount_books(tenant_id, pair_no) from reconciliations where id = $1",
        [id],
      );
    },
    "connection.failing": async () => {
      const source = await subscriber.call<{ id: string }>("POST", "/v1/sources", {
        name: "Bank",
        kind: "bank_statement",
        currency: "EUR",
      });
      const { id } = await subscriber.call<{ id: string }>("POST", "/v1/connections", {
        source_id: source.id,
        kind: "https",
        address: "https://files.bank.example/today.xml",
        auth: "none",
      });
      await sql(
        "select private.note_failure(c, 'It fails.', true) from connections c where id = $1",
        [id],
      );
    },
    "api_key.revoked": async () => {
      const keys = `/v1/tenants/${subscriber.tenant}/api-keys`;
      const { id } = await subscriber.call<{ id: string }>("POST", keys, {
        name: "Batch",
        scopes: ["read:exceptions"],
      });
      await subscriber.call("DELETE", `${keys}/${id}`, { reason: "Lost." });
    },
    "api_key.expiring": async () => {
      const body = {
        name: "Batch",
        scopes: ["read:exceptions"],
        expires_at: minutesAhead(2 * 24 * 60),
      };
      await subscriber.call("POST", `/v1/tenants/${subscriber.tenant}/api-keys`, body);
      await sql("select graphile_worker.add_job('announce_expiring_api_keys')");
    },
    "webhook.failing": async () => {
      const failing = await subscriber.register(["webhook.test"], { status: 500 });
      await sql(
        "update webhooks set failing_since = now() - interval '3 days 1 hour' where id = $1",
        [failing.id],
      );
      await subscriber.call("POST", `${failing.url}/test`);
    },
    "webhook.disabled": async () => {
      const other = await subscriber.register(["webhook.disabled"]);
      await subscriber.call("PATCH", other.url, { status: "disabled", reason: "It moves." });
    },
    "webhook.test": async () => {},
  };

  it.each(EVENT_KINDS)("%s arrives, with the data that is documented", async (kind) => {
    const webhook = await subscriber.register([kind]);
    await (kind === "webhook.test"
      ? subscriber.call("POST", `${webhook.url}/test`)
      : causes[kind]());
    const [got] = await webhook.gets(1);
    const { type, timestamp, data } = JSON.parse(got?.body ?? "");
    expect(type).toBe(kind);
    expect(Date.now() - Date.parse(timestamp)).toBeLessThan(60_000);
    expect(EVENTS[kind].data.strict().parse(data)).toEqual(data);
    expect(got?.verified).toEqual([SECRET]);
  });

  it("exception.updated lists the changes, and exception.resolved the resolution", async () => {
    const webhook = await subscriber.register(["exception.updated", "exception.resolved"]);
    const { id } = await createException({ assigned_to: "user:ada" });
    await subscriber.call("PATCH", `/v1/exceptions/${id}`, {
      assigned_to: "user:ana",
      severity: "low",
    });
    await subscriber.call("PATCH", `/v1/exceptions/${id}`, {
      status: "dismissed",
      resolution: "Duplicate.",
    });
    await subscriber.call("PATCH", `/v1/exceptions/${id}`, { status: "open" });
    const payloads = (await webhook.gets(3))
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    expect(payloads.map(({ type, data }) => [type, data.changes])).toEqual([
      [
        "exception.updated",
        {
          assigned_to: { from: "user:ada", to: "user:ana" },
          severity: { from: "high", to: "low" },
        },
      ],
      [
        "exception.resolved",
        { status: { from: "open", to: "dismissed" }, resolution: { from: null, to: "Duplicate." } },
      ],
      [
        "exception.updated",
        { status: { from: "dismissed", to: "open" }, resolution: { from: "Duplicate.", to: null } },
      ],
    ]);
  });

  it("a change without effect sends no event", async () => {
    const webhook = await subscriber.register(["exception.updated"]);
    const { id } = await createException();
    await subscriber.call("PATCH", `/v1/exceptions/${id}`, { severity: "high" });
    await sql(editing("", "id = $1"), [id]);
    expect(await webhook.deliveries()).toEqual([]);
  });

  it("webhook.test reaches the tested webhook, whatever its subscriptions", async () => {
    const tested = await subscriber.register(["exception.sla.breached"]);
    const other = await subscriber.register(["webhook.test"]);
    const { event_id } = await subscriber.call<Delivery>("POST", `${tested.url}/test`);
    await tested.becomes(event_id, ["delivered"]);
    expect(await other.deliveries()).toEqual([]);
  });
});

describe("the log of deliveries", () => {
  it("is filtered by state, kind, event and time, and paged from the newest", async () => {
    const webhook = await subscriber.register(["exception.created", "exception.updated"]);
    const first = await subscriber.emit("exception.created");
    const second = await subscriber.emit("exception.updated");
    for (const id of [first, second]) await webhook.becomes(id, ["delivered"]);
    await webhook.behave({ status: 500 });
    const third = await subscriber.emit("exception.created");
    await webhook.becomes(third, ["retrying"]);
    await webhook.postpone();
    const events = async (query: string) =>
      (await webhook.deliveries(query)).map(({ event_id }) => event_id);
    expect(await events("")).toEqual([third, second, first]);
    expect(await events("?status=delivered")).toEqual([second, first]);
    expect(await events("?status=retrying")).toEqual([third]);
    expect(await events("?status=failed")).toEqual([]);
    expect(await events("?type=exception.updated")).toEqual([second]);
    expect(await events(`?event_id=${first}`)).toEqual([first]);
    const { created_at } = (await webhook.deliveries())[0] as Delivery;
    expect(await events(`?since=${created_at}`)).toEqual([third]);
    expect(await events(`?until=${created_at}`)).toEqual([second, first]);
    const page = await subscriber.call<{ items: Delivery[]; next_cursor: string }>(
      "GET",
      `${webhook.url}/deliveries?limit=2`,
    );
    expect(page.items).toHaveLength(2);
    expect(await events(`?limit=2&cursor=${page.next_cursor}`)).toEqual([first]);
  });
});
