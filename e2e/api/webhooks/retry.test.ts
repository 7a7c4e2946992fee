import { describe, expect, it } from "vitest";
import { sql, uniqueName } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Behaviour } from "#e2e/webhooks/receiver.ts";
import { type Registered, SECRET, Subscriber } from "#e2e/webhooks/subscriber.ts";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { receiver } from "./shared-receiver.ts";

const subscriber = await Subscriber.create(receiver);

const SCHEDULE_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];

type Waiting = { failures: number; failed: number; pause: number };

/**
 * Waits until the only delivery of a webhook waits for a retry after this many failures since the
 * event or since it was resent. Returns the number of these failures, of all failures, and the
 * seconds from the transaction that recorded the last attempt to the next attempt. One statement
 * reads them, because the next attempt may happen at any time.
 */
function waits(eventId: string, failures: number): Promise<Waiting> {
  return until(`${eventId} waits after failure ${failures}`, async () => {
    const [row] = await sql<Waiting>(
      `select d.failure_count as failures,
         extract(epoch from d.next_attempt_at - w.last_failure_at)::float8 as pause,
         (select count(*)::integer from webhook_attempts f where f.tenant_id = d.tenant_id
           and f.delivery_id = d.id and f.status = 'failed') as failed
       from webhook_deliveries d
       join webhooks w on w.tenant_id = d.tenant_id and w.id = d.webhook_id
       join webhook_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
         and a.number = d.attempt_count
       where d.event_id = $1 and d.status = 'pending' and d.lease is null and a.status = 'failed'
         and d.failure_count >= $2`,
      [eventId, failures],
    );
    return row;
  });
}

/** One of the compared times has milliseconds, the other microseconds. */
const ROUNDED_SECONDS = 0.001;

function expectAbout(pause: number, min: number, max: number): void {
  expect(pause).toBeGreaterThanOrEqual(min - ROUNDED_SECONDS);
  expect(pause).toBeLessThanOrEqual(max + ROUNDED_SECONDS);
}

function expectScheduled({ failures, pause }: Waiting): void {
  const seconds = SCHEDULE_SECONDS[failures - 1] ?? Number.NaN;
  expectAbout(pause, seconds * 0.8, seconds * 1.2);
}

/**
 * A delivery that has failed once, with the pause before its retry. If it was retried before the
 * test read it, sends another one.
 */
async function failOnce(
  behaviour: Behaviour,
): Promise<{ webhook: Registered; eventId: string; pause: number }> {
  for (;;) {
    const webhook = await subscriber.register(["webhook.test"], behaviour);
    const { event_id: eventId } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    const { failures, pause } = await waits(eventId, 1);
    if (failures === 1) return { webhook, eventId, pause };
  }
}

describe.concurrent("a delivery that fails", () => {
  it("keeps its schedule if the receiver asks for 7 s each time", async () => {
    const { webhook, eventId } = await failOnce({ status: 429, headers: { "Retry-After": "7" } });
    await webhook.hurry();
    expectScheduled(await waits(eventId, 2));
    await webhook.hurry();
    expectScheduled(await waits(eventId, 3));
  });

  it("is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, each ±20 %, with one ID, then fails", async () => {
    const { webhook, eventId, pause } = await failOnce({ status: 500 });
    expectScheduled({ failures: 1, failed: 1, pause });
    for (let failures = 1; failures < SCHEDULE_SECONDS.length; ) {
      await webhook.hurry();
      const waiting = await waits(eventId, failures + 1);
      expectScheduled(waiting);
      failures = waiting.failures;
    }
    await webhook.hurry();
    const delivery = await webhook.becomes(eventId, ["failed"]);
    expect(delivery).toMatchObject({
      failure_kind: "retries_exhausted",
      reason: `All ${delivery.attempts.length} attempts failed. The receiver responded with 500.`,
      next_attempt_at: null,
    });
    expect(delivery.attempt_count).toBe(delivery.attempts.length);
    expect(
      delivery.attempts
        .filter(({ status }) => status !== "interrupted")
        .map(({ cause, failure_kind }) => [cause, failure_kind]),
    ).toEqual([["event", "http_error"], ...Array(7).fill(["retry", "http_error"])]);
    const got = await webhook.gets(8);
    expect(new Set(got.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([eventId]));
    expect(new Set(got.map(({ body }) => body)).size).toBe(1);
    for (const { verified } of got) expect(verified).toEqual([SECRET]);
  });

  it("is retried automatically about 5 s later", async () => {
    for (;;) {
      const { webhook, eventId, pause } = await failOnce({ status: 503 });
      expectAbout(pause, 4, 6);
      await webhook.behave({});
      const shown = await webhook.becomes(eventId, ["delivered", "retrying"], 2);
      // Starts over if another attempt failed before the receiver succeeded, or if the worker
      // abandoned an attempt because its process stalled.
      if (shown.status === "retrying" || shown.attempts.length > 2) continue;
      expect(shown.attempts.map(({ status }) => status)).toEqual(["failed", "succeeded"]);
      const [first, second] = await webhook.gets(2);
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(4000);
      expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThan(
        Number(first?.headers["webhook-timestamp"]),
      );
      return;
    }
  });

  it("is not retried at the same time as the others", async () => {
    const webhook = await subscriber.register(["exception.updated"], { status: 500 });
    await sql(
      `insert into events (tenant_id, type, data) select $1, 'exception.updated', '{}'
       from generate_series(1, 40)`,
      [subscriber.tenant],
    );
    const pauses = await until("most wait after their first failure", async () => {
      const rows = await sql<{ pause: number }>(
        `select extract(epoch
           from d.next_attempt_at - a.started_at
           - make_interval(secs => a.duration_ms / 1000.0))::float8 as pause
         from webhook_deliveries d join webhook_attempts a on a.tenant_id = d.tenant_id
           and a.delivery_id = d.id and a.number = 1
         where d.webhook_id = $1 and d.attempt_count = 1 and d.status = 'pending'
           and d.lease is null and a.status = 'failed'`,
        [webhook.id],
      );
      return rows.length >= 20 && rows.map(({ pause }) => pause);
    });
    // The result may be recorded long after the attempt's end.
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(4 - ROUNDED_SECONDS);
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(0.5);
  });

  it.each([
    ["120", 120, 132],
    ["0", 4, 6],
    ["1", 4, 6],
    ["999999", 86_400, 86_400],
    ["Fri, 20 Nov 2026 10:01:30 GMT", 90, 99],
  ])("waits for Retry-After: %s, never less than scheduled", async (value, min, max) => {
    const { pause } = await failOnce({
      status: 503,
      headers: { "Retry-After": value, Date: "Fri, 20 Nov 2026 10:00:00 GMT" },
    });
    expectAbout(pause, min, max);
  });

  it.each(["soon", "-5", "1e9", ""])("ignores a meaningless Retry-After: %j", async (value) => {
    const { pause } = await failOnce({ status: 503, headers: { "Retry-After": value } });
    expectAbout(pause, 4, 6);
  });

  it("is resent at once on request, with a new schedule", async () => {
    const { webhook, eventId } = await failOnce({ status: 500 });
    await webhook.hurry();
    await waits(eventId, 2);
    const { id } = await webhook.becomes(eventId, ["retrying"]);
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`);
    const again = await until("it has failed again", async () => {
      const waiting = await waits(eventId, 1);
      return waiting.failed > 2 && waiting;
    });
    expect(again.failures).toBe(again.failed - 2);
    expectScheduled(again);
    const { attempts } = await webhook.delivery(id);
    const causes = attempts.filter(({ status }) => status === "failed").map(({ cause }) => cause);
    expect(causes.slice(0, 3)).toEqual(["event", "retry", "resend"]);
    await webhook.postpone();
    await webhook.behave({});
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`);
    await webhook.becomes(eventId, ["delivered"]);
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`);
    const got = await webhook.gets(5);
    expect(new Set(got.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([eventId]));
    await webhook.becomes(eventId, ["delivered"], 5);
  });

  it("is never sent twice at once: resending it while it is under way is 409", async () => {
    const webhook = await subscriber.register(["webhook.test"], { trick: "hang" });
    const { id, event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    await webhook.gets(1);
    expect(await webhook.becomes(event_id, ["sending"])).toMatchObject({
      next_attempt_at: null,
      attempts: [{ status: "in_flight" }],
    });
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`, undefined, [409]);
    await subscriber.call("DELETE", webhook.url);
  });
});

describe.concurrent("a failed attempt states the cause:", () => {
  it.each<[string, Behaviour, string, string]>([
    ["a server error", { status: 500 }, "http_error", "The receiver responded with 500."],
    ["a client error", { status: 404 }, "http_error", "The receiver responded with 404."],
    [
      "401",
      { status: 401 },
      "signature_failed",
      "The receiver responded with 401: it did not accept the signature.",
    ],
    [
      "403",
      { status: 403 },
      "signature_failed",
      "The receiver responded with 403: it did not accept the signature.",
    ],
    [
      "a signature that does not verify",
      { secrets: ["another secret, 16 bytes"], strict: true },
      "signature_failed",
      "401",
    ],
    [
      "a broken connection",
      { trick: "reset" },
      "connection_failed",
      "The receiver closed the connection before responding.",
    ],
  ])("%s", async (_name, behaviour, kind, detail) => {
    const { webhook, eventId } = await failOnce(behaviour);
    const { attempts } = await webhook.becomes(eventId, ["retrying"]);
    expect(attempts[0]).toMatchObject({
      status: "failed",
      failure_kind: kind,
      detail: expect.stringContaining(detail),
    });
  });

  it.each([
    [
      "nothing listens there",
      "http://127.0.0.1:9/",
      "connection_failed",
      "The receiver refused the connection.",
    ],
    [
      "no TLS where TLS is due",
      () => `https://127.0.0.1:${receiver.port}/`,
      "connection_failed",
      "TLS",
    ],
    [
      "a private address that was registered before it was refused",
      "https://127.0.0.2/",
      "blocked_address",
      "isn't a public address",
    ],
    [
      "a name that has no public form",
      "https://printer.local/",
      "blocked_address",
      "isn't a public host name",
    ],
  ])("%s", async (_name, url, kind, detail) => {
    const webhook = await subscriber.register(["webhook.test"]);
    await sql("update webhooks set url = $2 where id = $1", [
      webhook.id,
      typeof url === "string" ? url : url(),
    ]);
    const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    const { attempts } = await webhook.becomes(event_id, ["retrying"], 1);
    expect(attempts[0]).toMatchObject({
      failure_kind: kind,
      detail: expect.stringContaining(detail),
      status_code: null,
    });
  });

  it.each([301, 302, 303, 307, 308])("a %i, which is not followed", async (status) => {
    const canary = `/${uniqueName("canary")}`;
    const { webhook, eventId } = await failOnce({
      status,
      headers: { Location: receiver.url(canary) },
    });
    const { attempts } = await webhook.becomes(eventId, ["retrying"]);
    expect(attempts[0]).toMatchObject({
      failure_kind: "http_error",
      status_code: status,
      response: { headers: { location: receiver.url(canary) } },
    });
    expect(attempts[0]?.detail).toContain("aren't followed");
    expect(receiver.at(canary)).toEqual([]);
  });
});

describe("a response", () => {
  const answerTo = async (behaviour: Behaviour) => {
    const webhook = await subscriber.register(["webhook.test"], behaviour);
    const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    const { attempts } = await webhook.becomes(event_id, ["delivered"], 1);
    return { attempt: attempts[0], response: attempts[0]?.response };
  };

  it("of 10 MB is truncated to 16 kB", async () => {
    const { attempt, response } = await answerTo({ trick: "10 MB" });
    expect(response).toMatchObject({ body: "x".repeat(16_384), truncated: true });
    // The worker doesn't wait for the end of the body, which would take the full 15 s.
    expect(attempt?.duration_ms).toBeLessThan(14_000);
  });

  it("that is a gzip bomb is not inflated", async () => {
    const { response } = await answerTo({ trick: "gzip bomb" });
    expect(response).toMatchObject({ body: "", headers: { "content-encoding": "gzip" } });
  });

  it("of binary bytes is stored as printable text", async () => {
    const { response } = await answerTo({ trick: "binary" });
    expect(response?.body).toBe("\uFFFD\uFFFD\uFFFD\uFFFD");
  });

  it.each([200, 201, 202, 204, 299])("%i is a success", async (status) => {
    const { attempt } = await answerTo({ status, body: "" });
    expect(attempt).toMatchObject({ status: "succeeded", status_code: status, detail: null });
  });
});
