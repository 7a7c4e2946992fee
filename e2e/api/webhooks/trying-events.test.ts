import { expect, it } from "vitest";
import { api, sql, userToken } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import { Subscriber } from "#e2e/webhooks/subscriber.ts";
import { EVENTS } from "#lib/events/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import type { Delivery, DeliveryDetail, WebhookStats } from "#lib/webhooks/deliveries/contract.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { receiver } from "./shared-receiver.ts";

const subscriber = await Subscriber.create(receiver);

it.each(EVENT_KINDS.filter((kind) => kind !== "webhook.test"))(
  "a test of %s goes only to its webhook, subscribed or not, is marked as a test, and has valid data",
  async (type) => {
    const webhook = await subscriber.register(["webhook.failing"]);
    const other = await subscriber.register([type]);
    const { id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`, { type });
    const [got] = await webhook.gets(1);
    const { data, ...envelope } = JSON.parse(got?.body ?? "") as { data: object };
    expect(envelope).toMatchObject({ type, test: true });
    expect(EVENTS[type].data.safeParse(data).success).toBe(true);
    expect((await webhook.delivery(id)).payload).toMatchObject({ type, test: true });
    expect(await other.deliveries(`?type=${type}`)).toEqual([]);
  },
);

it("a test returns its own delivery, even if another of its type is newer", async () => {
  const webhook = await subscriber.register(["webhook.failing"]);
  const bearer = await userToken(subscriber.tenant, ["tenant_admin"]);
  await api("POST", "/v1/exceptions", {
    bearer,
    tenant: subscriber.tenant,
    body: { title: "Payout 4712", severity: "low" },
  });
  // As if a transaction had begun later and committed earlier.
  await sql(
    `insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status)
     select 'dlv_' || repeat('f', 32), e.tenant_id, $2, e.id, e.type, 'delivered'
     from public.events e where e.tenant_id = $1 and e.type = 'exception.created'
       and e.test_of is null limit 1`,
    [subscriber.tenant, webhook.id],
  );
  const { id } = await subscriber.call<Delivery>("POST", `${webhook.url}/test`, {
    type: "exception.created",
  });
  expect((await webhook.delivery(id)).payload).toMatchObject({ test: true });
});

it("all webhooks' deliveries are one list, which can be filtered by the causing request", async () => {
  const [first, second] = [
    await subscriber.register(["exception.created"]),
    await subscriber.register(["exception.created"]),
  ];
  const bearer = await userToken(subscriber.tenant, ["tenant_admin"]);
  const answer = await api("POST", "/v1/exceptions", {
    bearer,
    tenant: subscriber.tenant,
    body: { title: "Payout 4711", severity: "low" },
  });
  const request_id = answer.headers.get("x-request-id") ?? "";
  const all = async (query: string) =>
    (await subscriber.call<{ items: Delivery[] }>("GET", `/v1/webhook-deliveries?${query}`)).items;
  const caused = await all(`request_id=${request_id}`);
  expect(caused.map(({ webhook_id }) => webhook_id)).toEqual(
    expect.arrayContaining([first.id, second.id]),
  );
  expect((await all(`webhook_id=${first.id}`)).map(({ webhook_id }) => webhook_id)).toEqual([
    first.id,
  ]);
  expect(
    await subscriber.call<DeliveryDetail>(
      "GET",
      `${first.url}/deliveries/${caused.find((item) => item.webhook_id === first.id)?.id}`,
    ),
  ).toMatchObject({
    request_id,
    payload: { data: { exception: { id: (answer.json as Exception).id } } },
  });
});

it.runIf(WHOLE)(
  "a webhook's attempts are counted by hour, with how long the responses took",
  async () => {
    const webhook = await subscriber.register(["webhook.test"]);
    await subscriber.call("POST", `${webhook.url}/test`);
    await webhook.gets(1);
    await webhook.behave({ status: 500 });
    await subscriber.call("POST", `${webhook.url}/test`);
    // The failed delivery may have been retried by then.
    const { hours } = await until("both attempts are counted", async () => {
      const stats = await subscriber.call<WebhookStats>("GET", `${webhook.url}/stats`);
      return (
        stats.hours.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0) >= 2 &&
        stats
      );
    });
    expect(hours.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(1);
    for (const { start, p50_ms, p95_ms } of hours) {
      expect(start).toMatch(/:00:00\.000Z$/);
      expect(p50_ms).toBeLessThanOrEqual(p95_ms ?? -1);
    }
  },
);

it.runIf(WHOLE)("the attempts of all webhooks are counted together", async () => {
  const hooks = [
    await subscriber.register(["webhook.test"]),
    await subscriber.register(["webhook.test"]),
  ];
  await Promise.all(hooks.map(({ url }) => subscriber.call("POST", `${url}/test`)));
  const attemptsOf = async (url: string) => {
    const { hours } = await subscriber.call<WebhookStats>("GET", url);
    return hours.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
  };
  await until("each has its attempt", async () =>
    (await Promise.all(hooks.map(({ url }) => attemptsOf(`${url}/stats`)))).every(
      (count) => count > 0,
    ),
  );
  const { items } = await subscriber.call<{ items: { id: string }[] }>("GET", "/v1/webhooks");
  await until("the sums agree", async () => {
    const each = await Promise.all(items.map(({ id }) => attemptsOf(`/v1/webhooks/${id}/stats`)));
    return (
      (await attemptsOf("/v1/webhook-deliveries/stats")) ===
      each.reduce((sum, count) => sum + count, 0)
    );
  });
});
