import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { creating, editing } from "#e2e/exception-statements.ts";
import { database, sql } from "#e2e/fixtures.ts";
import type { timeToBreach } from "#lib/exceptions/sla/contract.ts";
import { dueIn, tenantWithLead } from "./exceptions.ts";

type TimeToBreach = z.output<typeof timeToBreach>;

describe("open exceptions by time to breach", () => {
  it.each([
    [-1441, -30, 0],
    [-1441, 30, 1],
    [0, -30, 1],
    [0, 30, 2],
    [59, -30, 2],
    [59, 30, 3],
    [60, 30, 3],
    [240, -30, 3],
    [240, 30, 4],
    [241, -30, 4],
    [1440, -30, 4],
    [1440, 30, 5],
  ])(
    "puts a deadline in %i min %i s into one bucket, whose edges are those of minutes_to_breach",
    async (minutes, seconds, place) => {
      const { call, create, board } = await tenantWithLead();
      await create({ due_at: await dueIn(minutes, seconds) });
      const { buckets, summary } = (await call("GET", "/v1/exceptions/sla/time-to-breach"))
        .json as TimeToBreach;
      expect(buckets.map(({ open_count }) => open_count)).toEqual(
        buckets.map((_, at) => (at === place ? 1 : 0)),
      );
      const [item] = (await board()).items;
      const { from_minutes, to_minutes, breach_risk } = buckets[
        place
      ] as TimeToBreach["buckets"][number];
      expect(item?.breach_risk).toBe(breach_risk);
      expect(item?.minutes_to_breach).toBeGreaterThanOrEqual(from_minutes ?? -Infinity);
      expect(item?.minutes_to_breach).toBeLessThanOrEqual(to_minutes ?? Infinity);
      expect(summary.total_open).toBe(1);
    },
  );

  it("counts each open exception once, and adds up to the summary of the list", async () => {
    const { tenant, call, board } = await tenantWithLead();
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'T' || i, 'severity', 'low', 'due_at',
           now() + (i - 1500) * interval '2 minutes', 'created_by', 'user:leo'`,
        `generate_series(1, 3000) i`,
      ),
      [tenant],
    );
    await sql(editing(`'due_at', due_at + interval '3 hours'`, `tenant_id = $1 and title ~ '1$'`), [
      tenant,
    ]);
    await sql(
      editing(`'status', 'dismissed', 'resolution', 'x'`, `tenant_id = $1 and title ~ '2$'`),
      [tenant],
    );
    const { buckets, summary, as_of } = (await call("GET", "/v1/exceptions/sla/time-to-breach"))
      .json as TimeToBreach;
    const sum = (...risks: string[]) =>
      buckets
        .filter(({ breach_risk }) => risks.includes(breach_risk))
        .reduce((total, { open_count }) => total + open_count, 0);
    expect(summary).toEqual({
      breached_count: sum("breached"),
      at_risk_count: sum("high", "medium"),
      on_track_count: sum("low"),
      total_open: 2700,
    });
    expect((await board({ limit: "1" })).summary.total_open).toBe(2700);
    const counted = await sql<{ open_count: number }>(
      `select (select count(*)::int from public.exceptions e where e.tenant_id = $1
         and e.status = 'open'
         and ceil(extract(epoch from e.due_at - $2::timestamptz) / 60) between coalesce(b.low,
           -1e9) and coalesce(b.high, 1e9)) as open_count
       from unnest($3::int[], $4::int[]) with ordinality as b (low, high, place) order by place`,
      [
        tenant,
        as_of,
        buckets.map((bucket) => bucket.from_minutes),
        buckets.map((bucket) => bucket.to_minutes),
      ],
    );
    expect(buckets.map(({ open_count }) => open_count)).toEqual(
      counted.map(({ open_count }) => open_count),
    );
  });

  it("agrees with the summary if no worker has ticked", async () => {
    const { tenant, create } = await tenantWithLead();
    await create({ due_at: await dueIn(600) });
    await create({ due_at: await dueIn(30) });
    const client = await database.connect();
    try {
      await client.query("select set_config('request.jwt.claims', $1, false)", [
        JSON.stringify({ tenant_id: tenant }),
      ]);
      const { rows } = await client.query(
        "select private.time_to_breach(now() + interval '571 minutes') as answer",
      );
      const { buckets, summary } = rows[0].answer as TimeToBreach;
      expect(buckets.map(({ open_count }) => open_count)).toEqual([0, 1, 1, 0, 0, 0]);
      expect(summary).toMatchObject({
        breached_count: 1,
        at_risk_count: 1,
        on_track_count: 0,
        total_open: 2,
      });
    } finally {
      await client.query("reset request.jwt.claims");
      client.release();
    }
  });
});
