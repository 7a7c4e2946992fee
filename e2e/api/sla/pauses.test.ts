import { describe, expect, it } from "vitest";
import { editing } from "#e2e/exception-statements.ts";
import { api, database, sql, writtenByHand } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { dueIn, dueSoon, tenantWithLead } from "./exceptions.ts";

const WAITING = { reason: "Waiting for the bank" };
const POLICY = {
  minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 },
  at_risk_thresholds: [240, 60],
};

async function tenant() {
  const created = await tenantWithLead();
  return {
    ...created,
    pause: (id: string, body: object = WAITING) =>
      created.call("POST", `/v1/exceptions/${id}/pause`, body),
    resume: (id: string) => created.call("POST", `/v1/exceptions/${id}/resume`),
    policy: async (change: object) => {
      const answer = await created.call("PUT", "/v1/sla-policy", { ...POLICY, ...change });
      if (answer.status !== 200) throw new Error(answer.text);
    },
    events: (...types: string[]) =>
      sql<{ type: string }>(
        "select type from public.events where tenant_id = $1 and type = any ($2) order by id",
        [created.tenant, types],
      ),
    ledger: async (id: string) =>
      (
        (await created.call("GET", `/v1/exceptions/${id}/ledger`)).json as {
          rows: Record<string, number>[];
        }
      ).rows,
  };
}

/** Backdates the pause and the deadline by this number of minutes. */
async function pausedSince(id: string, minutes: number): Promise<void> {
  await writtenByHand(
    `update public.exceptions set paused_at = paused_at - make_interval(mins => $2),
       held_due_at = held_due_at - make_interval(mins => $2)
     where id = $1`,
    [id, minutes],
  );
}

describe("a pause", () => {
  it("preserves the time left, counts as on track and crosses no threshold", async () => {
    const { create, pause, board, crossings } = await tenant();
    const held = await create({ due_at: await dueIn(60, 50) });
    expect(await crossings()).toEqual([240]);
    const paused = (await pause(held.id)).json as Exception;
    expect(paused).toMatchObject({
      pause_reason: WAITING.reason,
      paused_until: null,
      breach_risk: "low",
      minutes_to_breach: 61,
    });
    await pausedSince(held.id, 300);
    const late = await create({ due_at: await dueIn(3000) });
    const { items, summary } = await board();
    expect(items.map(({ id }) => id)).toEqual([late.id, held.id]);
    expect(items[1]).toMatchObject({ minutes_to_breach: 61, breach_risk: "low" });
    expect(summary).toEqual({
      breached_count: 0,
      at_risk_count: 0,
      on_track_count: 2,
      total_open: 2,
    });
    expect((await board({ breach_risk: "at_risk" })).items).toEqual([]);
    const another = await create({ due_at: await dueIn(300) });
    await dueSoon(another.id, 0, 1);
    await until("another deadline passes", async () => (await crossings()).includes(0));
    expect(await crossings()).toEqual([240, 60, 0]);
  });

  it("moves an exception to the end of the list, whose pages show each exception once", async () => {
    const { create, pause, board } = await tenant();
    const created = [];
    for (let n = 0; n < 5; n++) created.push(await create({ due_at: await dueIn(500 + n) }));
    for (const { id } of created.slice(0, 3)) await pause(id);
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await board({ limit: "1", ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      if (!page.next_cursor) break;
      cursor = page.next_cursor;
    }
    expect(seen.slice(0, 2)).toEqual(created.slice(3).map(({ id }) => id));
    expect(new Set(seen)).toEqual(new Set(created.map(({ id }) => id)));
    expect(seen).toHaveLength(5);
  });

  it("restores exactly the time left, and never repeats earlier crossings", async () => {
    const { create, pause, resume, crossings } = await tenant();
    const { id, due_at } = await create({ due_at: await dueIn(100) });
    expect(await crossings()).toEqual([240]);
    await pause(id);
    await pausedSince(id, 300);
    const resumed = (await resume(id)).json as Exception;
    expect(resumed).toMatchObject({ paused_at: null, pause_reason: null, breach_risk: "medium" });
    expect(Date.parse(resumed.due_at) - Date.parse(due_at)).toBeGreaterThanOrEqual(0);
    expect(Date.parse(resumed.due_at) - Date.parse(due_at)).toBeLessThan(60_000);
    expect(await crossings()).toEqual([240]);
  });

  it("re-arms the thresholds ahead when it ends", async () => {
    const { create, pause, resume, crossings } = await tenant();
    const { id } = await create({ due_at: await dueIn(100) });
    await pause(id);
    // The pause holds a second more than an hour, however long the test takes.
    await writtenByHand(
      `update public.exceptions set held_due_at = paused_at + interval '60 minutes 1 second'
       where id = $1`,
      [id],
    );
    await resume(id);
    await until("an hour is left", async () => (await crossings()).length === 2);
    expect(await crossings()).toEqual([240, 60]);
  });

  it("moves nothing if it is resumed in the same instant", async () => {
    const { create, ledger } = await tenant();
    const { id, due_at } = await create({ due_at: await dueIn(100) });
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query(editing("'pause_reason', 'Now'", "id = $1", "pause"), [id]);
      await client.query(editing("", "id = $1", "resume"), [id]);
      await client.query("commit");
    } finally {
      client.release();
    }
    const rows = await ledger(id);
    expect(rows.map(({ kind }) => kind)).toEqual(["set", "crossed", "paused", "resumed"]);
    expect(rows.at(-1)).toMatchObject({ due_at, moved_seconds: 0, paused_seconds: 0 });
  });

  it("is started by one of two concurrent clients, and ended by one of two", async () => {
    const { create, pause, resume, events } = await tenant();
    const { id } = await create({ due_at: await dueIn(100) });
    const begun = await Promise.all([pause(id), pause(id), pause(id)]);
    expect(begun.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const ended = await Promise.all([resume(id), resume(id), resume(id)]);
    expect(ended.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(
      (await events("exception.paused", "exception.resumed", "exception.updated")).map(
        ({ type }) => type,
      ),
    ).toEqual(["exception.paused", "exception.resumed"]);
  });

  it("started and ended by two clients at once has one recorded outcome", async () => {
    const { create, pause, resume, ledger, call } = await tenant();
    const { id } = await create({ due_at: await dueIn(500) });
    await pause(id);
    const [ended, begun] = await Promise.all([resume(id), pause(id)]);
    const { paused_at } = (await call("GET", `/v1/exceptions/${id}`)).json as Exception;
    expect([ended.status, begun.status, paused_at !== null]).toEqual([
      200,
      paused_at ? 200 : 409,
      begun.status === 200,
    ]);
    expect((await ledger(id)).map(({ kind }) => kind)).toEqual([
      "set",
      "paused",
      "resumed",
      ...(paused_at ? ["paused"] : []),
    ]);
  });

  it("never ends before it started, even if the ending client began first", async () => {
    const { create, pause, ledger, call } = await tenant();
    const { id, due_at } = await create({ due_at: await dueIn(500) });
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query("select now()");
      const { paused_at } = (await pause(id)).json as Exception;
      await client.query(editing("", "id = $1", "resume"), [id]);
      await client.query("commit");
      const rows = await ledger(id);
      expect(rows.map(({ kind }) => kind)).toEqual(["set", "paused", "resumed"]);
      expect(rows.at(-1)).toMatchObject({ at: paused_at, elapsed_seconds: 0, moved_seconds: 0 });
      expect((await call("GET", `/v1/exceptions/${id}`)).json).toMatchObject({ due_at });
    } finally {
      client.release();
    }
  });

  it("ends automatically at its time", async () => {
    const { create, pause, call, ledger, events } = await tenant();
    const { id, due_at } = await create({ due_at: await dueIn(100) });
    const { paused_at } = (await pause(id, { ...WAITING, until: await dueIn(10) }))
      .json as Exception;
    const [named] = await writtenByHand<{ paused_until: Date }>(
      `update public.exceptions set paused_until = clock_timestamp() + interval '1 second'
       where id = $1 returning paused_until`,
      [id],
    );
    const ends = named?.paused_until.toISOString() ?? "";
    await until("it is resumed", async () => (await events("exception.resumed")).length === 1);
    const resumed = (await call("GET", `/v1/exceptions/${id}`)).json as Exception;
    expect(resumed.paused_at).toBeNull();
    expect(Date.parse(resumed.due_at) - Date.parse(due_at)).toBe(
      Date.parse(ends) - Date.parse(paused_at ?? ""),
    );
    expect((await ledger(id)).at(-1)).toMatchObject({ kind: "resumed", at: ends, actor: "system" });
  });

  it("ends at its time for every reader, even before the worker ends it", async () => {
    const { create, pause } = await tenant();
    const { id } = await create({ due_at: await dueIn(100) });
    const { due_at } = (await pause(id, { ...WAITING, until: await dueIn(10) })).json as Exception;
    const [read] = await sql<{ json: Exception }>(
      `select private.exception_json(e, now() + interval '20 minutes') as json
       from public.exceptions e where id = $1`,
      [id],
    );
    expect(read?.json).toMatchObject({
      paused_at: null,
      breach_risk: "medium",
      minutes_to_breach: 90,
    });
    expect(Date.parse(read?.json.due_at ?? "") - Date.parse(due_at)).toBeGreaterThan(9 * 60_000);
  });

  it("ends when the exception is closed, and doesn't return when it is reopened", async () => {
    const { create, pause, change, ledger, board } = await tenant();
    const { id } = await create({ due_at: await dueIn(100) });
    await pause(id);
    const closed = await change(id, { status: "resolved", resolution: "Found." });
    expect(closed).toMatchObject({ paused_at: null, status: "resolved" });
    expect((await ledger(id)).slice(-2).map(({ kind }) => kind)).toEqual(["resumed", "resolved"]);
    expect((await board()).summary.total_open).toBe(0);
    await change(id, { status: "open" });
    expect((await board()).summary).toEqual({
      breached_count: 0,
      at_risk_count: 1,
      on_track_count: 0,
      total_open: 1,
    });
  });

  it.each([
    ["a closed exception", { status: "resolved", resolution: "Found." }, 100],
    ["a breached one", {}, -5],
  ])("is refused for %s", async (_, change, minutes) => {
    const { create, call, pause } = await tenant();
    const { id } = await create({ due_at: await dueIn(minutes) });
    await call("PATCH", `/v1/exceptions/${id}`, change);
    expect((await pause(id)).status).toBe(409);
  });

  it("prevents changes of the deadline, but not other changes", async () => {
    const { create, call, pause } = await tenant();
    const { id } = await create({ due_at: await dueIn(100) });
    await pause(id);
    const moved = await call("PATCH", `/v1/exceptions/${id}`, { due_at: await dueIn(1000) });
    expect(moved.json).toMatchObject({ status: 409, code: "conflict" });
    expect((await call("PATCH", `/v1/exceptions/${id}`, { assigned_to: "user:ana" })).status).toBe(
      200,
    );
  });

  it("is limited in length and number by the policy", async () => {
    const { create, pause, resume, policy } = await tenant();
    await policy({ pause: { max_minutes: 60, max_count: 1, rules: [] } });
    const { id } = await create({ due_at: await dueIn(100) });
    expect((await pause(id, { ...WAITING, until: await dueIn(61) })).json).toMatchObject({
      status: 400,
      errors: [{ path: "until" }],
    });
    expect((await pause(id, { ...WAITING, until: await dueIn(-1) })).json).toMatchObject({
      status: 400,
      errors: [{ path: "until" }],
    });
    const paused = (await pause(id)).json as Exception;
    expect(Date.parse(paused.paused_until ?? "") - Date.parse(paused.paused_at ?? "")).toBe(
      3_600_000,
    );
    await resume(id);
    expect((await pause(id)).json).toMatchObject({
      status: 409,
      detail: expect.stringContaining("1 pauses"),
    });
  });

  it("follows the rules and limits of the policy", async () => {
    const { create, change, policy } = await tenant();
    await policy({
      pause: { max_minutes: null, max_count: 2, rules: [{ reason_code: "waiting_for_bank" }] },
    });
    const { id } = await create({ due_at: await dueIn(100) });
    const waiting = { reason_code: "waiting_for_bank" };
    expect((await change(id, waiting)).paused_at).not.toBeNull();
    expect((await change(id, { title: "Renamed" })).paused_at).not.toBeNull();
    expect((await change(id, { reason_code: "found" })).paused_at).toBeNull();
    expect((await change(id, waiting)).paused_at).not.toBeNull();
    expect((await change(id, { reason_code: null })).paused_at).toBeNull();
    expect((await change(id, waiting)).paused_at).toBeNull();
    expect((await create({ ...waiting, due_at: await dueIn(100) })).paused_at).not.toBeNull();
  });

  const STEPS: Record<string, object> = {
    review: { status: "in_review" },
    open: { status: "open" },
    waiting: { reason_code: "waiting_for_bank" },
    none: { reason_code: null },
  };
  // The changes, each with + if the exception is paused after it, and with - if not.
  it.each([
    ["a status", { status: "in_review" }, "review+ waiting+ open- none-"],
    ["a reason code", { reason_code: "waiting_for_bank" }, "review- waiting+ open+ none-"],
    [
      "both together",
      { status: "in_review", reason_code: "waiting_for_bank" },
      "waiting- review+ open- none-",
    ],
  ])("lasts as long as %s of a rule, from change to change", async (_, rule, changes) => {
    const { create, change, policy } = await tenant();
    await policy({ pause: { max_minutes: null, max_count: null, rules: [rule] } });
    const { id } = await create({ due_at: await dueIn(100) });
    const seen = [];
    for (const step of changes.split(" ").map((value) => value.slice(0, -1))) {
      seen.push(step + ((await change(id, STEPS[step] ?? {})).paused_at ? "+" : "-"));
    }
    expect(seen.join(" ")).toBe(changes);
  });

  it("that a person started outlasts every rule", async () => {
    const { create, change, policy, pause } = await tenant();
    await policy({
      pause: { max_minutes: null, max_count: null, rules: [{ status: "in_review" }] },
    });
    const { id } = await create({ due_at: await dueIn(100) });
    await pause(id);
    await change(id, { status: "in_review" });
    expect(await change(id, { status: "open" })).toMatchObject({ pause_reason: WAITING.reason });
  });

  it("starts and ends for many at once, for all or for none", async () => {
    const { create, call, pause } = await tenant();
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await create({ due_at: await dueIn(100) })).id);
    await pause(ids[1] ?? "");
    const refused = await call("POST", "/v1/exceptions/bulk", { ids, pause: WAITING });
    expect(refused.json).toMatchObject({ status: 409, errors: [{ path: "ids.1" }] });
    const others = [ids[0], ids[2]];
    expect(
      (await call("POST", "/v1/exceptions/bulk", { ids: others, pause: WAITING })).json,
    ).toMatchObject({ updated: 2 });
    const resumed = (await call("POST", "/v1/exceptions/bulk", { ids, resume: true })).json as {
      items: Exception[];
    };
    expect(resumed.items.map(({ paused_at }) => paused_at)).toEqual([null, null, null]);
    expect((await call("POST", "/v1/exceptions/bulk", { ids })).status).toBe(400);
    expect(
      (await call("POST", "/v1/exceptions/bulk", { ids, resume: true, patch: { severity: "low" } }))
        .status,
    ).toBe(400);
  });

  it("is never visible to another tenant", async () => {
    const [own, other] = [await tenant(), await tenant()];
    const { id } = await own.create({ due_at: await dueIn(100) });
    expect((await other.pause(id)).status).toBe(404);
    expect(
      (
        await api("POST", `/v1/exceptions/${id}/pause`, {
          bearer: other.lead,
          tenant: own.tenant,
          body: WAITING,
        })
      ).status,
    ).toBe(403);
  });

  it("keeps the time left to a policy deadline when the policy changes during it", async () => {
    const { create, pause, resume, policy, call } = await tenant();
    const { id, created_at } = await create({ severity: "high" });
    await pause(id);
    await pausedSince(id, 120);
    await policy({ minutes_to_resolve: { ...POLICY.minutes_to_resolve, high: 600 } });
    const held = (await call("GET", `/v1/exceptions/${id}`)).json as Exception;
    expect(held.minutes_to_breach).toBeGreaterThan(600 - 1);
    const resumed = (await resume(id)).json as Exception;
    const extension = (Date.parse(resumed.due_at) - Date.parse(created_at)) / 60_000;
    expect(extension).toBeGreaterThanOrEqual(720);
    expect(extension).toBeLessThan(721);
  });
});
