import { describe, expect, it } from "vitest";
import { sql, uniqueName } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Behaviour } from "#e2e/webhooks/receiver.ts";
import { type Registered, SECRET } from "#e2e/webhooks/subscriber.ts";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { receiver, subscriber } from "./subscribed.ts";

const SCHEDULE_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];

/** Seconds from the end of the last attempt to the next. */
async function pauseSeconds(eventId: string): Promise<number> {
  const rows = await sql<{ pause: number }>(
    `select extract(epoch from d.next_attempt_at - a.started_at - make_interval(secs => a.duration_ms / 1000.0))::float8 as pause
     from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id
     where d.event_id = $1 order by a.number desc limit 1`,
    [eventId],
  );
  return rows[0]?.pause ?? Number.NaN;
}

/** Between settling and the attempt's end lies a moment. */
const SLACK_SECONDS = 2;

function expectAbout(pause: number, least: number, most: number): void {
  expect(pause).toBeGreaterThanOrEqual(least);
  expect(pause).toBeLessThanOrEqual(most + SLACK_SECONDS);
}

async function failOnce(behaviour: Behaviour): Promise<{ webhook: Registered; eventId: string }> {
  const webhook = await subscriber.register(["webhook.test"], behaviour);
  const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
  await webhook.becomes(event_id, ["retrying", "failed"], 1, 20_000);
  return { webhook, eventId: event_id };
}

describe.concurrent("a delivery that fails", () => {
  it("is tried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, each ±20 %, under one id, and then given up", async () => {
    const { webhook, eventId } = await failOnce({ status: 500 });
    for (const [index, seconds] of SCHEDULE_SECONDS.entries()) {
      await webhook.becomes(eventId, ["retrying"], index + 1);
      expectAbout(await pauseSeconds(eventId), seconds * 0.8, seconds * 1.2);
      await webhook.hurry();
    }
    const given = await webhook.becomes(eventId, ["failed"]);
    expect(given).toMatchObject({
      failure_kind: "retries_exhausted",
      reason: "All 8 attempts failed. The receiver responded with 500.",
      attempt_count: 8,
      next_attempt_at: null,
    });
    expect(given.attempts.map(({ cause, failure_kind }) => [cause, failure_kind])).toEqual([
      ["event", "http_error"],
      ...Array(7).fill(["retry", "http_error"]),
    ]);
    const got = await webhook.gets(8);
    expect(new Set(got.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([eventId]));
    expect(new Set(got.map(({ body }) => body)).size).toBe(1);
    for (const { verified } of got) expect(verified).toEqual([SECRET]);
  });

  it("is tried again by itself, about 5 s later", async () => {
    const { webhook, eventId } = await failOnce({ status: 503 });
    await webhook.behave({});
    const [first, second] = await webhook.gets(2);
    const seconds = ((second?.at ?? 0) - (first?.at ?? 0)) / 1000;
    expectAbout(seconds, 4, 6);
    expect(Number(second?.headers["webhook-timestamp"])).toBeGreaterThan(Number(first?.headers["webhook-timestamp"]));
    const shown = await webhook.becomes(eventId, ["delivered"]);
    expect(shown.attempts.map(({ status }) => status)).toEqual(["failed", "succeeded"]);
  });

  it("does not come back together with the others", async () => {
    const webhook = await subscriber.register(["exception.updated"], { status: 500 });
    await sql("insert into events (tenant_id, type, data) select $1, 'exception.updated', '{}' from generate_series(1, 40)", [
      subscriber.tenant,
    ]);
    await until("all have failed once", async () => (await webhook.deliveries("?status=retrying&limit=250")).length === 40);
    const pauses: number[] = [];
    for (const { event_id } of await webhook.deliveries("?limit=250")) pauses.push(await pauseSeconds(event_id));
    for (const pause of pauses.filter((seconds) => seconds < 100)) expectAbout(pause, 4, 6);
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(0.5);
  });

  it.each([
    ["120", 120, 132],
    ["0", 5, 5.5],
    ["1", 5, 5.5],
    ["999999", 36_000, 39_600],
    ["Fri, 20 Nov 2026 10:01:30 GMT", 90, 99],
  ])("comes back when Retry-After: %s asks for it, within bounds", async (value, least, most) => {
    const { eventId } = await failOnce({ status: 503, headers: { "Retry-After": value, Date: "Fri, 20 Nov 2026 10:00:00 GMT" } });
    expectAbout(await pauseSeconds(eventId), least, most);
  });

  it.each(["soon", "-5", "1e9", ""])("ignores Retry-After: %j, which says nothing", async (value) => {
    const { eventId } = await failOnce({ status: 503, headers: { "Retry-After": value } });
    expectAbout(await pauseSeconds(eventId), 4, 6);
  });

  it("is sent again at once, from the start of the schedule, when somebody asks for it", async () => {
    const { webhook, eventId } = await failOnce({ status: 500 });
    await webhook.hurry();
    const { id } = await webhook.becomes(eventId, ["retrying"], 2);
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`);
    const again = await webhook.becomes(eventId, ["retrying"], 3);
    expect(again.attempts.map(({ cause }) => cause)).toEqual(["event", "retry", "resend"]);
    expectAbout(await pauseSeconds(eventId), 4, 6);
    await webhook.behave({});
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`);
    await webhook.becomes(eventId, ["delivered"]);
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`);
    const got = await webhook.gets(5);
    expect(new Set(got.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([eventId]));
    await webhook.becomes(eventId, ["delivered"], 5);
  });

  it("is not sent twice at once: while it is on its way, sending again is 409", async () => {
    const webhook = await subscriber.register(["webhook.test"], { trick: "hang" });
    const { id, event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    await webhook.gets(1);
    expect(await webhook.becomes(event_id, ["sending"])).toMatchObject({ next_attempt_at: null, attempts: [{ status: "in_flight" }] });
    await subscriber.call("POST", `${webhook.url}/deliveries/${id}/resend`, undefined, [409]);
    await subscriber.call("DELETE", webhook.url);
  });
});

describe.concurrent("an attempt that fails says why:", () => {
  it.each<[string, Behaviour, string, string]>([
    ["a server error", { status: 500 }, "http_error", "The receiver responded with 500."],
    ["a client error", { status: 404 }, "http_error", "The receiver responded with 404."],
    ["401", { status: 401 }, "signature_failed", "The receiver responded with 401: it did not accept the signature."],
    ["403", { status: 403 }, "signature_failed", "The receiver responded with 403: it did not accept the signature."],
    ["a signature that does not verify", { secrets: ["another secret, 16 bytes"], strict: true }, "signature_failed", "401"],
    ["a broken connection", { trick: "reset" }, "connection_failed", "The receiver closed the connection before responding."],
  ])("%s", async (_name, behaviour, kind, detail) => {
    const { webhook, eventId } = await failOnce(behaviour);
    const { attempts } = await webhook.becomes(eventId, ["retrying"]);
    expect(attempts[0]).toMatchObject({ status: "failed", failure_kind: kind, detail: expect.stringContaining(detail) });
  });

  it.each([
    ["nothing listens there", "http://127.0.0.1:9/", "connection_failed", "The receiver refused the connection."],
    ["no TLS where TLS is due", () => `https://127.0.0.1:${receiver.port}/`, "connection_failed", "TLS"],
    ["a private address that was registered before it was refused", "https://127.0.0.2/", "blocked_address", "isn't a public address"],
    ["a name that has no public form", "https://printer.local/", "blocked_address", "isn't a public host name"],
  ])("%s", async (_name, url, kind, detail) => {
    const webhook = await subscriber.register(["webhook.test"]);
    await sql("update webhooks set url = $2 where id = $1", [webhook.id, typeof url === "string" ? url : url()]);
    const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    const { attempts } = await webhook.becomes(event_id, ["retrying"], 1);
    expect(attempts[0]).toMatchObject({ failure_kind: kind, detail: expect.stringContaining(detail), status_code: null });
  });

  it.each([301, 302, 303, 307, 308])("a %i, which is not followed", async (status) => {
    const canary = `/${uniqueName("canary")}`;
    const { webhook, eventId } = await failOnce({ status, headers: { Location: receiver.url(canary) } });
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

describe("an answer", () => {
  const answerTo = async (behaviour: Behaviour) => {
    const webhook = await subscriber.register(["webhook.test"], behaviour);
    const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    const { attempts } = await webhook.becomes(event_id, ["delivered"], 1, 20_000);
    return { attempt: attempts[0], response: attempts[0]?.response };
  };

  it("of 10 MB is kept to its first 16 kB", async () => {
    const { attempt, response } = await answerTo({ trick: "10 MB" });
    expect(response).toMatchObject({ body: "x".repeat(16_384), truncated: true });
    expect(attempt?.duration_ms).toBeLessThan(5_000);
  });

  it("that is a gzip bomb is not inflated", async () => {
    const { response } = await answerTo({ trick: "gzip bomb" });
    expect(response).toMatchObject({ body: "", headers: { "content-encoding": "gzip" } });
  });

  it("of bytes that are no text is kept as text that can be shown", async () => {
    const { response } = await answerTo({ trick: "binary" });
    expect(response?.body).toBe("\uFFFD\uFFFD\uFFFD\uFFFD");
  });

  it.each([200, 201, 202, 204, 299])("%i is a success", async (status) => {
    const { attempt } = await answerTo({ status, body: "" });
    expect(attempt).toMatchObject({ status: "succeeded", status_code: status, detail: null });
  });
});
