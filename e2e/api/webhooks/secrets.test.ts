import { describe, expect, it } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { type Registered, SECRET, Subscriber } from "#e2e/webhooks/subscriber.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { receiver } from "./shared-receiver.ts";

const subscriber = await Subscriber.create(receiver);

const NEXT = "the next secret, 16 bytes";
const OLD_AND_NEW = { secrets: [SECRET, NEXT] };

function rotate(
  webhook: Registered,
  secret: string,
  grace_period_seconds?: number,
): Promise<Webhook> {
  return subscriber.call("POST", `${webhook.url}/rotate-secret`, { secret, grace_period_seconds });
}

/** The secrets that verify a delivery sent now. */
async function verifying(webhook: Registered): Promise<string[]> {
  const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
  await webhook.becomes(event_id, ["delivered"]);
  return webhook.received.find(({ headers }) => headers["webhook-id"] === event_id)?.verified ?? [];
}

/** Ends the grace period by backdating it. */
async function endGrace(webhook: Registered): Promise<void> {
  await sql(
    `update private.webhook_secrets set expires_at = now() - interval '1 second'
     where webhook_id = $1 and expires_at is not null`,
    [webhook.id],
  );
  await sql(
    `update webhooks set previous_secret_expires_at = now() - interval '1 second',
       secret_changed_at = now() - interval '1 hour' where id = $1`,
    [webhook.id],
  );
}

describe("rotating the secret", () => {
  it("signs with both secrets during the grace period, and then only with the new one", async () => {
    const webhook = await subscriber.register(["webhook.test"], OLD_AND_NEW);
    expect(await verifying(webhook)).toEqual([SECRET]);
    const rotated = await rotate(webhook, NEXT);
    const grace =
      Date.parse(rotated.previous_secret_expires_at ?? "") -
      Date.parse(rotated.secret_changed_at ?? "");
    expect(grace).toBe(86_400_000);
    expect(await verifying(webhook)).toEqual([SECRET, NEXT]);
    expect(webhook.received.at(-1)?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    await endGrace(webhook);
    expect(await verifying(webhook)).toEqual([NEXT]);
    expect(await webhook.get()).toMatchObject({ previous_secret_expires_at: null });
  });

  it("ends the previous secret when the grace period does, by the database's clock", async () => {
    const webhook = await subscriber.register(["webhook.test"], OLD_AND_NEW);
    const { previous_secret_expires_at } = await rotate(webhook, NEXT, 2);
    await until(
      "the grace period has ended",
      async () => (await webhook.get()).previous_secret_expires_at === null,
    );
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(previous_secret_expires_at ?? ""));
    expect(await verifying(webhook)).toEqual([NEXT]);
  });

  it("ends every earlier secret at once with a grace period of 0", async () => {
    const webhook = await subscriber.register(["webhook.test"], {
      secrets: [SECRET, NEXT, "a third one, 16 bytes"],
    });
    await rotate(webhook, NEXT);
    await rotate(webhook, "a third one, 16 bytes", 0);
    expect(await verifying(webhook)).toEqual(["a third one, 16 bytes"]);
  });

  it("signs a waiting delivery with the secrets at the time of sending", async () => {
    const webhook = await subscriber.register(["webhook.test"], { ...OLD_AND_NEW, status: 500 });
    const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    await webhook.becomes(event_id, ["retrying"]);
    await rotate(webhook, NEXT, 0);
    await webhook.behave(OLD_AND_NEW);
    await webhook.hurry();
    await webhook.becomes(event_id, ["delivered"]);
    expect(webhook.received.map(({ verified }) => verified)).toEqual([[SECRET], [NEXT]]);
  });
});

describe("a receiver that missed a rotation", () => {
  const sleeping = { secrets: [SECRET], strict: true };
  const kindsOf = async (webhook: Registered) => {
    const { event_id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`);
    const { attempts } = await webhook.becomes(event_id, ["retrying", "delivered"]);
    return attempts[0]?.failure_kind;
  };

  it("verifies during the overlap, and is stale_secret afterwards", async () => {
    const webhook = await subscriber.register(["webhook.test"], sleeping);
    await rotate(webhook, NEXT);
    expect(await kindsOf(webhook)).toBeNull();
    await endGrace(webhook);
    // The last success must be from before the old secret stopped signing.
    await sql("update webhooks set last_success_at = now() - interval '1 minute' where id = $1", [
      webhook.id,
    ]);
    expect(await kindsOf(webhook)).toBe("stale_secret");
    const [last] = await webhook.deliveries();
    expect(last?.reason).toMatch(
      /^The receiver responded with 401 after the secret was changed at \S+Z\. It seems to verify with the old one\.$/,
    );
    await webhook.behave({ secrets: [NEXT], strict: true });
    expect(await kindsOf(webhook)).toBeNull();
    await webhook.behave({ secrets: ["yet another secret"], strict: true });
    expect(await kindsOf(webhook)).toBe("signature_failed");
  });

  it("shows as stale_secret at once without an overlap", async () => {
    const webhook = await subscriber.register(["webhook.test"], sleeping);
    expect(await kindsOf(webhook)).toBeNull();
    await rotate(webhook, NEXT, 0);
    expect(await kindsOf(webhook)).toBe("stale_secret");
  });

  it("is reported with the webhook only while it fails", async () => {
    const webhook = await subscriber.register(["webhook.test"], sleeping);
    await rotate(webhook, NEXT, 0);
    await kindsOf(webhook);
    expect(await webhook.get()).toMatchObject({
      health: "failing",
      last_failure_kind: "stale_secret",
    });
    await webhook.behave({ status: 500 });
    await kindsOf(webhook);
    expect(await webhook.get()).toMatchObject({
      health: "failing",
      last_failure_kind: "http_error",
    });
    await webhook.behave({ secrets: [NEXT], strict: true });
    await kindsOf(webhook);
    expect(await webhook.get()).toMatchObject({ failing_since: null, last_failure_kind: null });
  });
});
