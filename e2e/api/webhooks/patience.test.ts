import { describe, expect, it } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Behaviour } from "#e2e/webhooks/receiver.ts";
import { type Registered, Subscriber } from "#e2e/webhooks/subscriber.ts";
import type { Delivery, DeliveryDetail } from "#lib/webhooks/deliveries/contract.ts";
import { receiver } from "./shared-receiver.ts";

const HANGS = { trick: "hang" } as const;

/** A test event on its way to a receiver of a new tenant. */
async function send(
  behaviour: Behaviour,
): Promise<{ subscriber: Subscriber; webhook: Registered; eventId: string }> {
  const subscriber = await Subscriber.create(receiver);
  const webhook = await subscriber.register(["webhook.test"], behaviour);
  const { event_id: eventId } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
  return { subscriber, webhook, eventId };
}

/** Far more than 15 s, because attempts start over after each stall of the worker. */
const MANY_ATTEMPTS_MS = 240_000;

/**
 * The completed attempts, once there is one. The worker abandons and repeats attempts during which
 * its process stalled.
 */
async function ended(webhook: Registered, eventId: string): Promise<DeliveryDetail["attempts"]> {
  return until(
    "an attempt has ended",
    async () => {
      const { attempts } = await webhook.becomes(eventId, ["retrying", "delivered"], 1);
      const seen = attempts.filter(({ status }) => status === "failed" || status === "succeeded");
      return seen.length > 0 && seen;
    },
    MANY_ATTEMPTS_MS,
  );
}

function expectFifteenSeconds(duration_ms: number | null | undefined): void {
  expect(duration_ms).toBeGreaterThanOrEqual(14_900);
  expect(duration_ms).toBeLessThanOrEqual(20_000);
}

// Each test waits for 15 seconds, so they wait concurrently.
describe.concurrent("a receiver has 15 s:", () => {
  it("an attempt without a response times out", async () => {
    const { webhook, eventId } = await send(HANGS);
    const attempts = await ended(webhook, eventId);
    expect(attempts[0]).toMatchObject({
      failure_kind: "timeout",
      status_code: null,
      response: null,
    });
    expectFifteenSeconds(attempts[0]?.duration_ms);
  });

  it("an endless response is cut off; its status counts", async () => {
    const { webhook, eventId } = await send({ trick: "drip" });
    const attempts = await ended(webhook, eventId);
    await webhook.becomes(eventId, ["delivered"]);
    expect(attempts[0]?.response).toMatchObject({
      body: expect.stringMatching(/^\.{10,40}$/),
      truncated: true,
    });
    expectFifteenSeconds(attempts[0]?.duration_ms);
  });

  it("settles deliveries that were being sent when their webhook was disabled", async () => {
    for (;;) {
      const { subscriber, webhook, eventId } = await send(HANGS);
      await webhook.gets(1);
      await subscriber.call("PATCH", webhook.url, { status: "disabled" });
      const failed = await webhook.becomes(eventId, ["failed"], 1);
      expect(failed).toMatchObject({ failure_kind: "webhook_disabled" });
      const seen = failed.attempts.filter(({ status }) => status !== "interrupted");
      // If the worker abandoned the attempt, no result was recorded: retry.
      if (seen.length === 0) continue;
      expect(seen).toMatchObject([{ status: "failed", failure_kind: "timeout" }]);
      return;
    }
  });

  it("at most 20 requests are under way to each receiver, and 2 while they fail", async () => {
    const subscriber = await Subscriber.create(receiver);
    const webhook = await subscriber.register(["exception.updated"], HANGS);
    await sql(
      `insert into events (tenant_id, type, data) select $1, 'exception.updated', '{}'
       from generate_series(1, 60)`,
      [subscriber.tenant],
    );
    await webhook.gets(20);
    const leased = async () =>
      (
        await sql("select from webhook_deliveries where webhook_id = $1 and lease is not null", [
          webhook.id,
        ])
      ).length;
    await until("twenty are under way", async () => (await leased()) === 20);
    expect(await webhook.underWay()).toBeLessThanOrEqual(20);
    await until(
      "the first twenty have timed out",
      async () => (await webhook.deliveries("?status=retrying&limit=250")).length >= 18,
    );
    await until("two are tried", async () => (await leased()) === 2);
    expect(await webhook.underWay()).toBeLessThanOrEqual(2);
    await sql(
      `update webhooks set status = 'disabled', disabled_at = now(), disabled_reason = 'manual'
       where tenant_id = $1`,
      [subscriber.tenant],
    );
  });
});
