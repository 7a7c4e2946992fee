import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { database, sql } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { type Registered, Subscriber } from "#e2e/webhooks/subscriber.ts";

const HANGING = 50;
const EVENTS_EACH = 30;
const PROBES = 20;
/** Far below the 15 s that a hanging receiver takes, and far above the delay of a busy machine. */
const PROMPT_MS = 5_000;

let receiver: Receiver;
let hanging: Receiver;

beforeAll(async () => {
  [receiver, hanging] = await Promise.all([Receiver.start(), Receiver.start()]);
});
afterAll(() => Promise.all([receiver.stop(), hanging.stop()]));

/** The median, because a stall of the machine delays one probe, but a hanging receiver all. */
function median(numbers: number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** The milliseconds from commit to receipt of each of several events. */
async function latencies(
  subscriber: Subscriber,
  webhook: Registered,
  type: "exception.created" | "exception.updated",
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < PROBES; n++) {
    const eventId = await subscriber.emit(type);
    const committedAt = Date.now();
    const got = await until("the event arrives", async () =>
      webhook.received.find(({ headers }) => headers["webhook-id"] === eventId),
    );
    times.push(got.at - committedAt);
  }
  return times;
}

describe("receivers that hang", () => {
  it("of which one tenant has 50 never delay another tenant or receiver", async () => {
    const [slow, other] = await Promise.all([
      Subscriber.create(hanging),
      Subscriber.create(receiver),
    ]);
    const sameTenant = await slow.register(["exception.created"]);
    const otherTenant = await other.register(["exception.updated"]);

    const stuck = await Promise.all(
      Array.from({ length: HANGING }, () =>
        slow.register(["exception.updated"], { trick: "hang" }),
      ),
    );
    await sql(
      `insert into events (tenant_id, type, data) select $1, 'exception.updated', '{}'
       from generate_series(1, $2::integer)`,
      [slow.tenant, EVENTS_EACH],
    );
    await until("every receiver hangs", async () =>
      stuck.every(({ received }) => received.length > 0),
    );

    const during = await latencies(other, otherTenant, "exception.updated");
    const ownDuring = await latencies(slow, sameTenant, "exception.created");
    expect(median(during)).toBeLessThan(PROMPT_MS);
    expect(median(ownDuring)).toBeLessThan(PROMPT_MS);
    expect(
      Math.max(...(await Promise.all(stuck.map((registered) => registered.underWay())))),
    ).toBeLessThanOrEqual(20);
    await sql(
      `update webhooks set status = 'disabled', disabled_at = now(), disabled_reason = 'manual'
       where tenant_id = $1`,
      [slow.tenant],
    );
  });

  it("a webhook that is locked by a long change delays no other", async () => {
    const [changed, other] = await Promise.all([
      Subscriber.create(receiver),
      Subscriber.create(receiver),
    ]);
    const held = await changed.register(["exception.updated"]);
    const free = await other.register(["exception.updated"]);
    const connection = await database.connect();
    let eventId: string;
    try {
      await connection.query("begin");
      await connection.query("select from webhooks where id = $1 for no key update", [held.id]);
      eventId = await changed.emit("exception.updated");
      await held.gets(1);
      for (let n = 0; n < 3; n++)
        await free.becomes(await other.emit("exception.updated"), ["delivered"], 1);
      expect(await held.becomes(eventId, ["sending"])).toMatchObject({
        attempts: [{ status: "in_flight" }],
      });
    } finally {
      await connection.query("rollback");
      connection.release();
    }
    expect(await held.becomes(eventId, ["delivered"])).toMatchObject({ attempt_count: 1 });
    expect(held.received).toHaveLength(1);
  });

  it.runIf(WHOLE)("claiming never reads another tenant's backlog", async () => {
    const [full, other] = await Promise.all([
      Subscriber.create(receiver),
      Subscriber.create(receiver),
    ]);
    const [, free] = await Promise.all([
      full.register(["exception.updated"]),
      other.register(["exception.updated"]),
    ]);
    const connection = await database.connect();
    const fetched = async () =>
      Number(
        (
          await connection.query(
            `select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_xact_user_tables
             where relname like 'webhook_deliveries%'`,
          )
        ).rows[0].rows,
      );
    const rowsOfAClaim = async () => {
      const before = await fetched();
      await connection.query("select from private.claim_webhook_deliveries($1, 100)", [[free.id]]);
      return (await fetched()) - before;
    };
    try {
      // Not committed, so that no worker sends it yet.
      await connection.query("begin");
      // The claim may also read rows that other tests are processing or have just processed.
      const usual = await rowsOfAClaim();
      await connection.query(
        `insert into events (tenant_id, type, data) select $1, 'exception.updated', '{}'
         from generate_series(1, 2000)`,
        [full.tenant],
      );
      expect((await rowsOfAClaim()) - usual).toBeLessThan(1000);
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  });
});
