/**
 * What a calendar costs, on the running stack (DATA_DIR): creating, moving, pausing and listing
 * exceptions that count by one, compared with exceptions that count round the clock; the SLA list
 * of a small and a large tenant, a tenth of it paused; and many simultaneous crossings with two
 * workers. Figures are medians of alternating calls, so that a noisy machine affects both.
 *
 *   node bench/business-time.ts
 *   OPEN=10000 ROUNDS=200 LARGE=1000000 CROSSINGS=100000 node bench/business-time.ts
 */

import { loadavg } from "node:os";
import { creating, editing } from "#e2e/exception-statements.ts";
import { api, createTenant, database, sql, userToken } from "#e2e/fixtures.ts";

const OPEN = Number(process.env.OPEN ?? 2_000);
const ROUNDS = Number(process.env.ROUNDS ?? 100);
const LARGE = Number(process.env.LARGE ?? 20_000);
const CROSSINGS = Number(process.env.CROSSINGS ?? 20_000);
const SMALL = 1_000;
const WARM_ROUNDS = 10;
const MAX_RATIO = 1.2;
/** Rows per statement: the owner's statements have the same time limit as a caller's. */
const BATCH = 5_000;

const POLICY = {
  minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 },
  at_risk_thresholds: [240, 60],
};
const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => ({
  day,
  from: "09:00",
  to: "17:00",
}));
const ACTIONS = ["create", "move", "pause", "resume", "list"] as const;

type Action = (typeof ACTIONS)[number];
type Side = {
  kind: "round_the_clock" | "calendar";
  tenant: string;
  calls: Record<Action, () => Promise<void>>;
};

const sides = [await sideOf("round_the_clock", OPEN), await sideOf("calendar", OPEN)];
console.log("load", loadavg());
console.log("calls", await medians());
console.log("list", await listsBySize());
for (const side of sides) console.log("crossings", side.kind, await crossings(side));
console.log("warnings in business minutes", await businessWarnings(sides[1] as Side));
console.log("load", loadavg());
await database.end();

/** A tenant with open exceptions of the policy, and the operations on them. */
async function sideOf(kind: Side["kind"], open: number): Promise<Side> {
  const tenant = await createTenant();
  const bearer = await userToken(tenant, ["tenant_admin", "tenant_lead"]);
  const call = async (method: string, path: string, body?: object) => {
    const { status, text, json } = await api(method, path, { bearer, tenant, body });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return json as { id: string };
  };
  if (kind === "calendar") {
    const { id } = await call("POST", "/v1/calendars", {
      name: "Office",
      time_zone: "Europe/Berlin",
      weekly: WEEK,
    });
    await call("PUT", "/v1/sla-policy", { ...POLICY, calendar_id: id });
  }
  await insert(tenant, open, "interval '3 days'");
  const { id } = await call("POST", "/v1/exceptions", { title: "Moved", severity: "low" });
  const due = () => new Date(Date.now() + 86_400_000 * (5 + Math.random() * 20)).toISOString();
  return {
    kind,
    tenant,
    calls: {
      create: async () =>
        void (await call("POST", "/v1/exceptions", {
          title: "Payout has no bank line",
          severity: "high",
        })),
      move: async () => void (await call("PATCH", `/v1/exceptions/${id}`, { due_at: due() })),
      pause: async () =>
        void (await call("POST", `/v1/exceptions/${id}/pause`, { reason: "Waiting" })),
      resume: async () => void (await call("POST", `/v1/exceptions/${id}/resume`)),
      list: async () => void (await call("GET", "/v1/exceptions/sla")),
    },
  };
}

async function medians() {
  const ms = new Map(
    sides.map(({ kind }) => [kind, new Map(ACTIONS.map((action) => [action, [] as number[]]))]),
  );
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    for (const action of ACTIONS) {
      for (const { kind, calls } of round % 2 === 0 ? sides : sides.toReversed()) {
        const startedAt = performance.now();
        await calls[action]();
        if (round >= 0)
          ms.get(kind)
            ?.get(action)
            ?.push(performance.now() - startedAt);
      }
    }
  }
  return ACTIONS.map((action) => {
    const [plain, byCalendar] = sides.map(({ kind }) =>
      median(ms.get(kind)?.get(action) ?? []),
    ) as [number, number];
    return {
      act: action,
      round_the_clock_ms: plain,
      calendar_ms: byCalendar,
      ratio: byCalendar / plain,
      met: byCalendar / plain <= MAX_RATIO,
    };
  });
}

/** The times of the list for tenants of two sizes with a calendar, measured in turns. */
async function listsBySize() {
  const sized = [];
  for (const size of [SMALL, LARGE]) {
    const side = await sideOf("calendar", size);
    for (let paused = 0; paused < size / 10; paused += BATCH) {
      await sql(
        editing(
          "'pause_reason', 'Waiting'",
          `tenant_id = $1 and id in (select id from public.exceptions where tenant_id = $1
             and paused_at is null order by id limit $2)`,
          "pause",
        ),
        [side.tenant, Math.min(BATCH, size / 10 - paused)],
      );
    }
    sized.push({ size, list: side.calls.list, ms: [] as number[] });
  }
  for (const table of ["public.exceptions", "private.exception_clocks"])
    await sql(`vacuum analyze ${table}`);
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    for (const { list, ms } of round % 2 === 0 ? sized : sized.toReversed()) {
      const startedAt = performance.now();
      await list();
      if (round >= 0) ms.push(performance.now() - startedAt);
    }
  }
  return sized.map(({ size, ms }) => ({ open: size, list_ms: median(ms) }));
}

/** Moves all clocks past their 60 minutes at once. @returns how long reporting them takes */
async function crossings({ tenant }: Side) {
  await insert(tenant, CROSSINGS, "interval '5 hours'");
  await sql(
    `update private.exception_clocks set next_at = now() - interval '1 second',
       due_at = now() + interval '59 minutes', position = 240 where tenant_id = $1`,
    [tenant],
  );
  return reported(
    tenant,
    "threshold_minutes",
    "private.exception_clocks where tenant_id = $1 and next_at <= now()",
  );
}

/** The same number of warnings in open minutes, all due at the same moment. */
async function businessWarnings({ tenant }: Side) {
  await sql(
    "update public.sla_policies set at_risk_business_thresholds = '{61}' where tenant_id = $1",
    [tenant],
  );
  await insert(tenant, CROSSINGS, "interval '5 days'");
  await sql(
    "update private.business_warnings set at = now() - interval '1 second' where tenant_id = $1",
    [tenant],
  );
  return reported(
    tenant,
    "threshold_kind",
    "private.business_warnings where tenant_id = $1 and at <= now()",
  );
}

/** How long two workers take to process all of them, and how many events they send. */
async function reported(tenant: string, counted: string, waiting: string) {
  const sent = async () =>
    (
      await sql<{ events: number }>(
        `select count(*)::int as events from public.events where tenant_id = $1
           and data ->> $2 in ('60', 'business')`,
        [tenant, counted],
      )
    )[0]?.events ?? 0;
  const before = await sent();
  const startedAt = performance.now();
  do {
    await Promise.all([
      sql("select private.tick_sla_clock(5000)"),
      sql("select private.tick_sla_clock(5000)"),
    ]);
  } while ((await sql(`select from ${waiting} limit 1`, [tenant])).length > 0);
  const seconds = (performance.now() - startedAt) / 1000;
  return { events: (await sent()) - before, seconds };
}

/** Inserts open exceptions, due one second apart, the first after the interval `after`. */
async function insert(tenant: string, count: number, after: string): Promise<void> {
  for (let done = 0; done < count; done += BATCH) {
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'T' || i, 'severity', 'low', 'due_at',
           now() + ${after} + i * interval '1 second', 'created_by', 'user:bench'`,
        `generate_series(1, $2::int) i`,
      ),
      [tenant, Math.min(BATCH, count - done)],
    );
  }
}

function median(values: number[]): number {
  return (
    values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
  );
}
