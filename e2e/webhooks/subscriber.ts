import { api, createTenant, sql, uniqueName, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import type { Delivery, DeliveryDetail } from "#lib/webhooks/deliveries/contract.ts";
import type { EventKind } from "#lib/wire/event-kinds.ts";
import type { Behaviour, Received, Receiver } from "./receiver.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** A new tenant with an admin who registers webhooks at one receiver. */
export class Subscriber {
  readonly tenant: string;
  readonly #token: string;
  readonly #receiver: Receiver;

  private constructor(tenant: string, token: string, receiver: Receiver) {
    this.tenant = tenant;
    this.#token = token;
    this.#receiver = receiver;
  }

  static async create(receiver: Receiver): Promise<Subscriber> {
    const tenant = await createTenant();
    return new Subscriber(tenant, await userToken(tenant, ["tenant_admin"]), receiver);
  }

  async call<Answer>(
    method: string,
    path: string,
    body?: object,
    status = method === "POST" ? [200, 201, 202] : [200],
  ): Promise<Answer> {
    const answer = await api(method, path, { bearer: this.#token, tenant: this.tenant, body });
    if (!status.includes(answer.status))
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Answer;
  }

  /** Registers a webhook on a path that no other one has. */
  async register(
    events: EventKind[],
    behaviour: Behaviour = {},
    secret = SECRET,
  ): Promise<Registered> {
    const path = `/${uniqueName("hook")}`;
    await this.#receiver.behave(path, { secrets: [secret], ...behaviour });
    const { id } = await this.call<Webhook>("POST", "/v1/webhooks", {
      url: this.#receiver.url(path),
      events,
      secret,
    });
    return new Registered(this, this.#receiver, id, path);
  }

  /** Emits an event for the tenant's webhooks in a separate transaction, as a change does. */
  async emit(type: EventKind, data: object = {}): Promise<string> {
    const [event] = await sql<{ id: string }>(
      "insert into events (tenant_id, type, data) values ($1, $2, $3) returning id",
      [this.tenant, type, JSON.stringify(data)],
    );
    return event?.id ?? "";
  }
}

export class Registered {
  readonly id: string;
  readonly path: string;
  readonly #subscriber: Subscriber;
  readonly #receiver: Receiver;

  constructor(subscriber: Subscriber, receiver: Receiver, id: string, path: string) {
    this.#subscriber = subscriber;
    this.#receiver = receiver;
    this.id = id;
    this.path = path;
  }

  get url(): string {
    return `/v1/webhooks/${this.id}`;
  }

  get(): Promise<Webhook> {
    return this.#subscriber.call("GET", this.url);
  }

  behave(behaviour: Behaviour): Promise<void> {
    return this.#receiver.behave(this.path, { secrets: [SECRET], ...behaviour });
  }

  get received(): Received[] {
    return this.#receiver.at(this.path);
  }

  gets(count: number, timeout_ms?: number): Promise<Received[]> {
    return this.#receiver.gets(this.path, count, timeout_ms);
  }

  async deliveries(query = ""): Promise<Delivery[]> {
    return (
      await this.#subscriber.call<{ items: Delivery[] }>("GET", `${this.url}/deliveries${query}`)
    ).items;
  }

  delivery(id: string): Promise<DeliveryDetail> {
    return this.#subscriber.call("GET", `${this.url}/deliveries/${id}`);
  }

  /**
   * The delivery of an event once it has one of these states, after at least this many attempts.
   */
  async becomes(
    eventId: string,
    statuses: Delivery["status"][],
    attempts = 0,
    timeout_ms?: number,
  ): Promise<DeliveryDetail> {
    const found = await until(
      `the delivery of ${eventId} is ${statuses.join(" or ")}`,
      async () =>
        (await this.deliveries(`?event_id=${eventId}`)).find(
          (item) => statuses.includes(item.status) && item.attempt_count >= attempts,
        ),
      timeout_ms,
    );
    return this.delivery(found.id);
  }

  /** What waits for its next try is due now: the clock, moved on. */
  async hurry(): Promise<void> {
    await sql(
      `update webhook_deliveries set next_attempt_at = now() where webhook_id = $1
         and status = 'pending' and lease is null`,
      [this.id],
    );
    await sql("select private.notify_webhook_worker($1)", [this.id]);
  }

  /** What waits for its next try waits an hour longer. */
  async postpone(): Promise<void> {
    await until("nothing is on its way", async () => {
      const waiting = await sql(
        `update webhook_deliveries set next_attempt_at = now() + interval '1 hour'
         where webhook_id = $1 and status = 'pending' and lease is null returning id`,
        [this.id],
      );
      return waiting.length > 0;
    });
  }

  /**
   * The maximum number of requests under way: those received, less the attempts that have ended.
   * Attempts that the worker abandoned because its process stalled, or that timed out on a busy
   * machine, have ended.
   */
  async underWay(): Promise<number> {
    const received = this.received.length;
    const [row] = await sql<{ ended: number }>(
      `select count(*)::integer as ended from webhook_attempts a
       join webhook_deliveries d on d.tenant_id = a.tenant_id and d.id = a.delivery_id
       where d.webhook_id = $1 and a.status <> 'in_flight'`,
      [this.id],
    );
    return received - (row?.ended ?? 0);
  }
}
