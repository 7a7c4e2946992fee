import type { PoolClient } from "pg";
import { describe, expect, it } from "vitest";
import { underCpuPressure } from "#e2e/cpu-pressure.ts";
import { creating, editing } from "#e2e/exception-statements.ts";
import { createTenant, database, sql } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import { dueIn, dueSoon, slaEvents, tenantWithLead } from "./exceptions.ts";

describe("the SLA clock", () => {
  it("reports a crossing with the next one within a second, never early", async () => {
    const { tenant, create } = await tenantWithLead();
    const created = [];
    for (let n = 0; n < 3; n++) created.push(await create({ due_at: await dueIn(300) }));
    const delayedMs = underCpuPressure();
    const deadlines: [id: string, due_at: string][] = [];
    for (const [index, { id }] of created.entries())
      deadlines.push([id, await dueSoon(id, 60, 1 + index)]);
    await until(
      "the 60 minutes of each are crossed",
      async () => (await slaEvents(tenant)).length === 6,
    );
    const events = await slaEvents(tenant);
    const lateness = deadlines.map(([id, due_at]) => {
      const [first, second] = events.filter(({ data }) => data.exception.id === id);
      expect(first?.data).toMatchObject({ threshold_minutes: 240, next_threshold_minutes: 60 });
      expect(second).toMatchObject({
        type: "exception.sla.at_risk",
        data: { threshold_minutes: 60, next_threshold_minutes: 0, due_at },
      });
      return (second?.at.getTime() ?? 0) - (Date.parse(due_at) - 3_600_000);
    });
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
    // The median without the measured CPU pressure, because a busy machine may stall the worker.
    expect((lateness.sort((a, b) => a - b)[1] ?? Number.NaN) - delayedMs()).toBeLessThan(1000);
  });

  it("reports a breach once", async () => {
    const { tenant, create, crossings } = await tenantWithLead();
    const created = await create({ due_at: await dueIn(300) });
    await dueSoon(created.id, 0, 1);
    await until("it is breached", async () => (await crossings()).includes(0));
    expect(await crossings()).toEqual([60, 0]);
    const [, breach] = await slaEvents(tenant);
    expect(breach).toMatchObject({
      type: "exception.sla.breached",
      data: { exception: { id: created.id, breach_risk: "breached" } },
    });
  });

  it("reports only the nearest crossing for an exception created inside thresholds", async () => {
    for (const [minutes, expected] of [
      [30, [60]],
      [100, [240]],
      [-10, [0]],
      [300, []],
    ] as const) {
      const { create, crossings } = await tenantWithLead();
      await create({ due_at: await dueIn(minutes) });
      expect(await crossings()).toEqual(expected);
    }
  });

  it("ignores a closed exception and changes of its deadline until it is reopened", async () => {
    const { tenant, create, change, crossings, call } = await tenantWithLead();
    const { id } = await create({ due_at: await dueIn(300) });
    await change(id, { status: "resolved", resolution: "Booked." });
    await change(id, { due_at: await dueIn(-10) });
    expect(await crossings()).toEqual([]);
    expect(
      await sql("select from private.exception_clocks where tenant_id = $1", [tenant]),
    ).toEqual([]);
    const { summary } = (await call("GET", "/v1/exceptions/sla")).json as {
      summary: { total_open: number };
    };
    expect(summary.total_open).toBe(0);
    await change(id, { status: "open" });
    expect(await crossings()).toEqual([0]);
  });

  it("re-arms the crossings ahead when due_at moves", async () => {
    const { create, crossings } = await tenantWithLead();
    const { id } = await create({ due_at: await dueIn(-10) });
    expect(await crossings()).toEqual([0]);
    await dueSoon(id, 0, 1);
    await until("the new deadline is passed", async () => (await crossings()).length === 2);
    expect(await crossings()).toEqual([0, 0]);
  });

  it("reports a crossing caused by an earlier due_at, and none avoided by a later", async () => {
    const { create, change, crossings } = await tenantWithLead();
    const { id } = await create({ due_at: await dueIn(600) });
    await change(id, { due_at: await dueIn(30) });
    expect(await crossings()).toEqual([60]);
    await change(id, { due_at: await dueIn(100) });
    expect(await crossings()).toEqual([60]);
  });

  it("is stopped by a resolution, started by a reopening, and never repeats", async () => {
    const { create, change, crossings } = await tenantWithLead();
    const { id } = await create({ due_at: await dueIn(-1) });
    await change(id, { status: "resolved", resolution: "Found." });
    await change(id, { status: "open" });
    expect(await crossings()).toEqual([0]);
    const other = await create({ due_at: await dueIn(30) });
    const marker = await create({ due_at: await dueIn(30) });
    expect(await crossings()).toEqual([0, 60, 60]);
    // One transaction moves the deadline close and stops the clock, however long the statements
    // take.
    await transaction(async (client) => {
      await client.query(editing(`'due_at', clock_timestamp() + interval '1 second'`, `id = $1`), [
        other.id,
      ]);
      await client.query(editing(`'status', 'dismissed', 'resolution', 'Noise.'`, `id = $1`), [
        other.id,
      ]);
    });
    await dueSoon(marker.id, 0, 1);
    await until("the marker is breached", async () => (await crossings()).length === 4);
    expect(await crossings()).toEqual([0, 60, 60, 0]);
    expect(
      (await slaEvents((await marker) && (await tenantOf(marker.id)))).at(-1)?.data.exception.id,
    ).toBe(marker.id);
  });

  it("follows changed thresholds, and never reports passed ones again", async () => {
    const { create, call, crossings } = await tenantWithLead();
    const { id } = await create({ due_at: await dueIn(110) });
    expect(await crossings()).toEqual([240]);
    const policy = {
      minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 },
      at_risk_thresholds: [200, 100, 10],
    };
    expect((await call("PUT", "/v1/sla-policy", policy)).status).toBe(200);
    // Simulates the passing of time. Moving the deadline would re-arm the thresholds as well.
    await sql(
      `update private.exception_clocks set due_at = due_at - past, next_at = next_at - past
       from (select due_at - clock_timestamp() - interval '100 minutes 1 second' as past
         from private.exception_clocks where exception_id = $1) as clock
       where exception_id = $1`,
      [id],
    );
    await until("the new threshold is crossed", async () => (await crossings()).length === 2);
    expect(await crossings()).toEqual([240, 100]);
  });

  it.runIf(WHOLE)("catches up after a stall, with every passed crossing once", async () => {
    const tenant = await createTenant();
    const count = 2000;
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'T' || i, 'severity', 'low', 'due_at',
           now() + interval '1 day', 'created_by', 'user:leo'`,
        `generate_series(1, $2::int) i`,
      ),
      [tenant, count],
    );
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query("select set_config('app.writes_exceptions', 'on', true)");
      await client.query(
        "update public.exceptions set due_at = now() - interval '1 minute' where tenant_id = $1",
        [tenant],
      );
      await client.query(
        `update private.exception_clocks set due_at = now() - interval '1 minute',
           next_at = now() - interval '241 minutes' where tenant_id = $1`,
        [tenant],
      );
      await client.query("commit");
    } finally {
      client.release();
    }
    await Promise.all(Array.from({ length: 4 }, () => sql("select private.tick_sla_clock(300)")));
    await until(
      "no crossing is left",
      async () =>
        (
          await sql(
            "select from private.exception_clocks where tenant_id = $1 and next_at is not null",
            [tenant],
          )
        ).length === 0,
      60_000,
    );
    const crossed = await sql<{ crossing: string; n: number }>(
      `select coalesce(data ->> 'threshold_minutes', '0') as crossing, count(*)::int as n,
         count(distinct data -> 'exception' ->> 'id')::int as exceptions
       from public.events where tenant_id = $1 and type like 'exception.sla.%' group by 1
       order by 1`,
      [tenant],
    );
    expect(crossed).toEqual(
      ["0", "240", "60"].map((crossing) => ({ crossing, n: count, exceptions: count })),
    );
  });

  const changesDuringCrossing = {
    "moved to another deadline": editing(`'due_at', now() + interval '10 hours'`, `tenant_id = $1`),
    closed: editing(`'status', 'resolved', 'resolution', 'Found.'`, `tenant_id = $1`),
    "armed by other thresholds": `with policy as (update public.sla_policies
        set at_risk_thresholds = '{240,30}' where tenant_id = $1)
       select set_config('request.jwt.claims', jsonb_build_object('tenant_id', $1)::text, true)`,
  };
  it.runIf(WHOLE).each(Object.entries(changesDuringCrossing))(
    "counts an exception once that is %s while a worker reports its crossing",
    async (_, change) => {
      let { tenant, board, crossings } = await tenantWithLead();
      await concurrently(async (before, worker, changer) => {
        // At any time, one of the two connections locks the clock, so that no other worker moves
        // it.
        const hold = "select from private.exception_clocks where exception_id = $1 for share";
        let id: string;
        let due_at: Date;
        for (;;) {
          const { rows } = await before.query(
            creating(
              `'tenant_id', $1::text, 'title', 'T', 'severity', 'low', 'due_at',
                 clock_timestamp() + interval '2 seconds', 'created_by', 'user:leo'`,
              `(select) one`,
            ),
            [tenant],
          );
          [{ id, due_at }] = rows;
          await before.query("begin");
          await before.query(hold, [id]);
          await changer.query("begin");
          const { rows: ahead } = await changer.query("select where clock_timestamp() < $1", [
            due_at,
          ]);
          if (ahead.length === 1) break;
          // The machine stalled until a worker could have reported it: retry with another tenant.
          await before.query("rollback");
          await changer.query("rollback");
          ({ tenant, board, crossings } = await tenantWithLead());
        }
        await until(
          "the deadline passes",
          async () => (await sql("select where clock_timestamp() > $1", [due_at])).length === 1,
        );
        await worker.query("begin");
        await worker.query(hold, [id]);
        await before.query("rollback");
        await worker.query("select private.advance_clocks(array[$1], array[$2], 0)", [tenant, id]);
        const changed = changer
          .query(change, [tenant])
          .then(() => changer.query("select private.rearm_clocks()"));
        await isWaiting(changer);
        await worker.query("commit");
        await changed;
        await changer.query("commit");
      });
      await until(
        "the clock has caught up",
        async () =>
          (
            await sql(
              "select from private.exception_clocks where tenant_id = $1 and next_at <= now()",
              [tenant],
            )
          ).length === 0,
      );
      const { summary, items } = await board();
      const risks = items.map(({ breach_risk }) => breach_risk);
      expect(summary).toEqual({
        breached_count: risks.filter((risk) => risk === "breached").length,
        at_risk_count: 0,
        on_track_count: risks.filter((risk) => risk === "low").length,
        total_open: items.length,
      });
      expect(await crossings()).toEqual([60, 0]);
    },
  );

  it("has a correct summary even if no worker has ticked", async () => {
    const { tenant, create, board } = await tenantWithLead();
    await create({ due_at: await dueIn(600) });
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query(
        `update private.exception_clocks set due_at = due_at - interval '11 hours',
           next_at = next_at - interval '11 hours' where tenant_id = $1`,
        [tenant],
      );
      await client.query("select set_config('request.jwt.claims', $1, true)", [
        JSON.stringify({ tenant_id: tenant }),
      ]);
      const { rows } = await client.query("select private.sla_summary(now()) as summary");
      expect(rows[0].summary).toEqual({
        breached_count: 1,
        at_risk_count: 0,
        on_track_count: 0,
        total_open: 1,
      });
    } finally {
      await client.query("rollback");
      client.release();
    }
    expect((await board()).summary.on_track_count).toBe(1);
  });
});

async function transaction(action: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await database.connect();
  try {
    await client.query("begin");
    await action(client);
    await client.query("commit");
  } finally {
    client.release(true);
  }
}

/** Runs an action with three connections, whose transactions end with it. */
async function concurrently(
  action: (...clients: [PoolClient, PoolClient, PoolClient]) => Promise<void>,
): Promise<void> {
  const clients = await Promise.all([database.connect(), database.connect(), database.connect()]);
  try {
    await action(...clients);
  } finally {
    for (const client of clients) client.release(true);
  }
}

function isWaiting({ processID }: PoolClient & { processID?: number }): Promise<unknown> {
  return until(
    "it waits for a lock",
    async () =>
      (
        await sql("select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'", [
          processID,
        ])
      ).length === 1,
  );
}

async function tenantOf(id: string): Promise<string> {
  const [row] = await sql<{ tenant_id: string }>(
    "select tenant_id from public.exceptions where id = $1",
    [id],
  );
  return row?.tenant_id ?? "";
}
