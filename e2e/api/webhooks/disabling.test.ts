import { describe, expect, it } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { type Registered, Subscriber } from "#e2e/webhooks/subscriber.ts";
import type { Recovery, Webhook } from "#lib/webhooks/contract.ts";
import { receiver } from "./shared-receiver.ts";

const subscriber = await Subscriber.create(receiver);

/** Backdates the start of a webhook's failures by this interval, and lets one more attempt fail. */
async function failFor(webhook: Registered, span: string): Promise<string> {
  await sql("update webhooks set failing_since = now() - $2::interval where id = $1", [
    webhook.id,
    span,
  ]);
  const eventId = await subscriber.emit("exception.updated", { about: webhook.id });
  await webhook.becomes(eventId, ["retrying", "failed"], 1);
  return eventId;
}

const eventsAbout = async (webhook: Registered, type: string) =>
  sql<{ data: Record<string, unknown> }>(
    "select data from events where type = $1 and data ->> 'id' = $2 order by id",
    [type, webhook.id],
  );
const securityEventsOf = async (webhook: Registered, type: string) =>
  sql<{ actor: string; reason: string }>(
    "select actor, reason from security_events where type = $1 and target = $2",
    [type, webhook.id],
  );

describe("a webhook that only fails", () => {
  it("warns the other webhooks two days and one day before it is disabled", async () => {
    const watcher = await subscriber.register(["webhook.failing", "webhook.disabled"]);
    const failing = await subscriber.register(
      ["exception.updated", "webhook.failing", "webhook.disabled"],
      { status: 500 },
    );
    await failFor(failing, "2 days 23 hours");
    expect(await eventsAbout(failing, "webhook.failing")).toEqual([]);

    const since = "3 days 1 hour";
    await failFor(failing, since);
    await sql("select private.notify_webhook_worker($1)", [failing.id]);
    const [warned] = await watcher.gets(1);
    expect(JSON.parse(warned?.body ?? "")).toMatchObject({
      type: "webhook.failing",
      data: {
        id: failing.id,
        failing_since: expect.any(String),
        disable_at: expect.any(String),
        detail: "The receiver responded with 500.",
      },
    });
    const eventId = await subscriber.emit("exception.updated");
    await failing.becomes(eventId, ["retrying"], 1);
    expect(await eventsAbout(failing, "webhook.failing")).toHaveLength(1);
    const shown = await failing.get();
    expect(shown).toMatchObject({ status: "active", health: "failing" });
    expect(Date.parse(shown.disable_at ?? "") - Date.parse(shown.failing_since ?? "")).toBe(
      5 * 24 * 60 * 60 * 1000,
    );

    await sql(
      "update webhooks set failing_since = failing_since - interval '1 day' where id = $1",
      [failing.id],
    );
    await failing.becomes(await subscriber.emit("exception.updated"), ["retrying"], 1);
    await watcher.gets(2);
    expect(await securityEventsOf(failing, "webhook.failing")).toHaveLength(2);
    expect(await failing.deliveries("?type=webhook.failing")).toEqual([]);
  });

  it("sends its warning on time, and is disabled by the next attempt", async () => {
    const quiet = await subscriber.register(["exception.updated"], { status: 500 });
    const waiting = await subscriber.emit("exception.updated");
    await quiet.becomes(waiting, ["retrying"], 1);
    await sql(
      `update webhook_deliveries set next_attempt_at = now() + interval '10 hours'
       where event_id = $1`,
      [waiting],
    );
    const hasFailedFor = (span: string) =>
      sql("update webhooks set failing_since = now() - $2::interval where id = $1", [
        quiet.id,
        span,
      ]);
    for (const [span, warnings] of [
      ["2 days 23 hours", 0],
      ["3 days", 1],
      ["4 days", 2],
    ] as const) {
      await hasFailedFor(span);
      await sql("select private.warn_of_failing_webhooks()");
      await sql("select private.warn_of_failing_webhooks()");
      expect(await eventsAbout(quiet, "webhook.failing")).toHaveLength(warnings);
    }
    expect(await eventsAbout(quiet, "webhook.failing")).toMatchObject([
      { data: { detail: "The receiver responded with 500." } },
      {},
    ]);
    await hasFailedFor("6 days");
    expect(await quiet.get()).toMatchObject({ status: "active" });
    await quiet.hurry();
    await quiet.becomes(waiting, ["failed"], 2);
    expect(await quiet.get()).toMatchObject({ status: "disabled", disabled_reason: "failing" });
  });

  it("is disabled after 5 days, and its waiting deliveries are cancelled", async () => {
    const watcher = await subscriber.register(["webhook.disabled"]);
    const failing = await subscriber.register(["exception.updated", "webhook.disabled"], {
      status: 500,
    });
    const waiting = await subscriber.emit("exception.updated");
    await failing.becomes(waiting, ["retrying"], 1);
    await failing.postpone();
    await failFor(failing, "5 days 1 minute");

    const shown = await failing.get();
    expect(shown).toMatchObject({
      status: "disabled",
      health: "disabled",
      disabled_reason: "failing",
      disabled_by: "system",
      disabled_detail: expect.stringMatching(
        /^Every attempt has failed since 20\S+Z, for 5 days\. The last one: The receiver responded with 500\.$/,
      ),
      next_attempt_at: null,
    });
    expect(await failing.becomes(waiting, ["failed"])).toMatchObject({
      failure_kind: "webhook_disabled",
      reason: "The webhook was disabled. The receiver responded with 500.",
    });
    const [notice] = await watcher.gets(1);
    expect(JSON.parse(notice?.body ?? "")).toMatchObject({
      type: "webhook.disabled",
      data: { id: failing.id, reason: "failing", disabled_by: "system" },
    });
    expect(await failing.deliveries("?type=webhook.disabled")).toEqual([]);
    expect(await securityEventsOf(failing, "webhook.disabled")).toEqual([
      { actor: "system", reason: shown.disabled_detail },
    ]);
  });

  it("starts over after one success", async () => {
    const flaky = await subscriber.register(["exception.updated"], { status: 500 });
    await failFor(flaky, "4 days");
    await flaky.behave({});
    await flaky.becomes(await subscriber.emit("exception.updated"), ["delivered"]);
    expect(await flaky.get()).toMatchObject({
      failing_since: null,
      disable_at: null,
      last_success_at: expect.any(String),
    });
    await flaky.behave({ status: 500 });
    await flaky.becomes(await subscriber.emit("exception.updated"), ["retrying"]);
    const { failing_since } = await flaky.get();
    expect(Date.now() - Date.parse(failing_since ?? "")).toBeLessThan(60_000);
  });

  it("starts over at another address", async () => {
    const moved = await subscriber.register(["exception.updated"], { status: 500 });
    await failFor(moved, "4 days");
    await subscriber.call("PATCH", moved.url, { url: receiver.url(`${moved.path}-2`) });
    expect(await moved.get()).toMatchObject({ failing_since: null });
  });
});

describe("a receiver that returns 410", () => {
  it("is sent nothing more", async () => {
    const goneReceiver = await subscriber.register(["exception.updated"], { status: 410 });
    const waiting = await subscriber.emit("exception.updated");
    expect(await goneReceiver.becomes(waiting, ["failed"])).toMatchObject({
      failure_kind: "webhook_disabled",
      attempt_count: 1,
    });
    expect(await goneReceiver.get()).toMatchObject({
      status: "disabled",
      disabled_reason: "gone",
      disabled_by: "system",
    });
    const missed = await subscriber.emit("exception.updated");
    expect(await goneReceiver.becomes(missed, ["failed"])).toMatchObject({
      failure_kind: "webhook_disabled",
      attempt_count: 0,
      attempts: [],
    });
    expect(goneReceiver.received).toHaveLength(1);
  });
});

describe("a disabled webhook", () => {
  it("is enabled by one call, and recovers what it missed, counted first", async () => {
    const webhook = await subscriber.register(["exception.updated"]);
    const arrived = await subscriber.emit("exception.updated", { n: 0 });
    await webhook.becomes(arrived, ["delivered"]);
    const { updated_at: since } = await subscriber.call<Webhook>("PATCH", webhook.url, {
      status: "disabled",
      reason: "It moves.",
    });
    expect(await webhook.get()).toMatchObject({
      disabled_reason: "manual",
      disabled_detail: "It moves.",
      disabled_by: "user:ada",
      missed_since: null,
    });

    const missed = [];
    for (let n = 1; n <= 3; n++) missed.push(await subscriber.emit("exception.updated", { n }));
    const [first] = (await webhook.deliveries("?status=failed")).slice(-1);
    expect(await webhook.get()).toMatchObject({ missed_since: first?.created_at });

    for (const path of ["/test", `/deliveries/${first?.id}/resend`])
      await subscriber.call("POST", webhook.url + path, undefined, [409]);
    await subscriber.call("POST", `${webhook.url}/recover`, { since }, [409]);
    const dry = await subscriber.call<Recovery>("POST", `${webhook.url}/recover`, {
      since,
      dry_run: true,
    });
    expect(dry).toEqual({ since, dry_run: true, count: 3 });

    const enabled = await subscriber.call<Webhook>("POST", `${webhook.url}/enable`);
    expect(enabled).toMatchObject({
      status: "active",
      disabled_at: null,
      disabled_reason: null,
      disabled_detail: null,
      missed_since: first?.created_at,
    });
    expect(webhook.received).toHaveLength(1);
    const { created_at: second } = await webhook.becomes(missed[1] ?? "", ["failed"]);
    expect(
      (
        await subscriber.call<Recovery>("POST", `${webhook.url}/recover`, {
          since: second,
          dry_run: true,
        })
      ).count,
    ).toBe(2);
    expect(
      (await subscriber.call<Recovery>("POST", `${webhook.url}/recover`, { since })).count,
    ).toBe(3);
    await webhook.gets(4);
    for (const eventId of missed) {
      expect(await webhook.becomes(eventId, ["delivered"])).toMatchObject({
        attempts: [{ cause: "recover", status: "succeeded" }],
      });
    }
    expect(await webhook.get()).toMatchObject({ missed_since: null });
    expect(
      (await subscriber.call<Recovery>("POST", `${webhook.url}/recover`, { since })).count,
    ).toBe(0);
    expect(webhook.received).toHaveLength(4);
  });

  it("recovers deliveries that wait for a retry too, and never those that arrived", async () => {
    const webhook = await subscriber.register(["exception.updated"], { status: 500 });
    const waiting = await subscriber.emit("exception.updated");
    await webhook.becomes(waiting, ["retrying"]);
    await webhook.hurry();
    await webhook.becomes(waiting, ["retrying"], 2);
    await webhook.behave({});
    const { count } = await subscriber.call<Recovery>("POST", `${webhook.url}/recover`, {
      since: "2026-01-01T00:00:00Z",
    });
    expect(count).toBe(1);
    await webhook.becomes(waiting, ["delivered"], 3);
  });

  it("may be enabled twice, and by PATCH", async () => {
    const webhook = await subscriber.register(["exception.updated"]);
    const active = await subscriber.call<Webhook>("POST", `${webhook.url}/enable`);
    expect(active.status).toBe("active");
    await subscriber.call("PATCH", webhook.url, { status: "disabled" });
    await subscriber.call("PATCH", webhook.url, { status: "disabled", reason: "again" });
    expect(await webhook.get()).toMatchObject({ status: "disabled", disabled_detail: null });
    expect(
      await subscriber.call<Webhook>("PATCH", webhook.url, { status: "active" }),
    ).toMatchObject({ status: "active" });
  });
});

describe("the statistics of a webhook", () => {
  it("count attempts, failures and response times of 24 hours and 7 days", async () => {
    const webhook = await subscriber.register(["webhook.test"]);
    await sql(
      `insert into webhook_answer_times (webhook_id, tenant_id, hour, succeeded, bucket, attempts)
       select $1, $2, date_trunc('hour', now() - age), succeeded, floor(ln(ms) / ln(1.1)), attempts
       from (values
         (interval '1 hour', true, 100, 90), (interval '2 hours', true, 1000, 6),
           (interval '2 hours', false, 50, 3),
         (interval '3 days', true, 200, 300), (interval '9 days', true, 5000, 9000)
       ) as t (age, succeeded, ms, attempts)`,
      [webhook.id, subscriber.tenant],
    );
    await sql(
      `insert into webhook_answer_times (webhook_id, tenant_id, hour, succeeded, bucket, attempts)
       values ($1, $2, date_trunc('hour', now()), false, -1, 1)`,
      [webhook.id, subscriber.tenant],
    );
    const { last_24h, last_7d, health } = await webhook.get();
    expect(last_24h).toMatchObject({ attempts: 100, failures: 4, success_rate: 0.96 });
    expect(last_7d).toMatchObject({ attempts: 400, failures: 4, success_rate: 0.99 });
    expect(health).toBe("healthy");
    const expectAbout = (actual: number | null, expected: number) =>
      expect(Math.abs((actual ?? 0) / expected - 1)).toBeLessThan(0.06);
    expectAbout(last_24h.p50_ms, 100);
    expectAbout(last_24h.p95_ms, 1000);
    expectAbout(last_7d.p50_ms, 200);
  });

  it("rate it as idle, degraded below 95 % or failing, by its attempts", async () => {
    const webhook = await subscriber.register(["exception.updated"]);
    expect(await webhook.get()).toMatchObject({
      health: "idle",
      last_24h: { attempts: 0, success_rate: null, p50_ms: null, p95_ms: null },
    });
    await webhook.behave({ status: 500 });
    await webhook.becomes(await subscriber.emit("exception.updated"), ["retrying"]);
    expect(await webhook.get()).toMatchObject({
      health: "failing",
      last_24h: { failures: 1, success_rate: 0 },
      next_attempt_at: expect.any(String),
    });
    await webhook.behave({});
    await webhook.becomes(await subscriber.emit("exception.updated"), ["delivered"]);
    expect(await webhook.get()).toMatchObject({
      health: "degraded",
      last_24h: { attempts: expect.any(Number) },
    });
  });
});
