import { describe, expect } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { EVENTS, idOf, it, verdict, verdictOfBoth } from "./chained.ts";
import { tamper } from "./trail.ts";

describe.concurrent("the verification of the audit log detects", () => {
  it("nothing in an intact chain, whatever its texts", async ({ trail }) => {
    const odd = "\"\\/\b\f\n\r\t\u0001\u001f\u007f\u0080\u2028\u2029ß日本\u{1F511}'%s";
    await sql(
      `insert into public.security_events (tenant_id, type, actor, target, reason, address,
         details) values ($1, 'test.odd', $2, $2, '', '2001:db8::1/64', $3)`,
      [
        trail.tenant,
        odd,
        JSON.stringify({
          [odd]: [1.5, 1e300, -0, null, true, { deep: odd }],
          b: 12345678901234567890n.toString(),
        }),
      ],
    );
    await sql(
      `insert into public.security_events (tenant_id, type, actor, details)
       values ($1, 'test.odd', 'x', '{"n": 1.500, "m": 123456789012345678901234567890}')`,
      [trail.tenant],
    );
    expect(await verdictOfBoth(trail)).toEqual({
      reason: undefined,
      seq: undefined,
      event_id: undefined,
    });
    expect(await trail.verify()).toMatchObject({
      events: EVENTS + 2,
      verified_through: { seq: EVENTS + 2 },
      fault: null,
    });
  });

  it.for<[string, () => string]>([
    [
      "a byte of the content",
      () => "update public.security_events set reason = 'x' where tenant_id = $1 and seq = 5",
    ],
    [
      "a detail",
      () =>
        `update public.security_events set details = '{"n": 6}' where tenant_id = $1 and seq = 5`,
    ],
    [
      "the time",
      () =>
        `update public.security_events set at = at + interval '1 millisecond' where tenant_id = $1
           and seq = 5`,
    ],
    [
      "the tenant's flag",
      () =>
        `update public.security_events set cross_tenant = not cross_tenant where tenant_id = $1
           and seq = 5`,
    ],
    [
      "the person",
      () =>
        "update public.security_events set actor_subject = 'eve' where tenant_id = $1 and seq = 5",
    ],
    [
      "who vouches for the person",
      () => "update public.security_events set actor_issuer = '' where tenant_id = $1 and seq = 5",
    ],
    [
      "the person, to nobody",
      () =>
        `update public.security_events set actor_issuer = null, actor_subject = null
         where tenant_id = $1 and seq = 5`,
    ],
    [
      "the hash alone",
      () =>
        "update public.security_events set hash = repeat('0', 64) where tenant_id = $1 and seq = 5",
    ],
  ])("a change of %s", async ([, statement], { trail }) => {
    const event_id = await idOf(trail, 5);
    await tamper([statement(), [trail.tenant]]);
    expect(await verdict(trail)).toEqual({ reason: "content_changed", seq: 5, event_id });
  });

  it("a person added to an event without one", async ({ trail }) => {
    const event_id = await idOf(trail, 6);
    await tamper([
      "update public.security_events set actor_subject = 'eve' where tenant_id = $1 and seq = 6",
      [trail.tenant],
    ]);
    expect(await verdict(trail)).toEqual({ reason: "content_changed", seq: 6, event_id });
  });

  it("changed content with a matching hash", async ({ trail }) => {
    const event_id = await idOf(trail, 5);
    await tamper(
      [
        "update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5",
        [trail.tenant],
      ],
      [
        `update public.security_events e set hash = private.security_event_hash(e)
         where tenant_id = $1 and seq = 5`,
        [trail.tenant],
      ],
    );
    expect(await verdictOfBoth(trail)).toEqual({ reason: "content_changed", seq: 5, event_id });
  });

  it("a removed event", async ({ trail }) => {
    await tamper([
      "delete from public.security_events where tenant_id = $1 and seq = 5",
      [trail.tenant],
    ]);
    expect(await verdictOfBoth(trail)).toEqual({ reason: "row_missing", seq: 5, event_id: null });
  });

  it("later events moved up to close a gap", async ({ trail }) => {
    await tamper(
      ["delete from public.security_events where tenant_id = $1 and seq = 5", [trail.tenant]],
      [
        "update public.security_events set seq = -seq where tenant_id = $1 and seq > 5",
        [trail.tenant],
      ],
      [
        "update public.security_events set seq = -seq - 1 where tenant_id = $1 and seq < 0",
        [trail.tenant],
      ],
    );
    expect(await verdict(trail)).toMatchObject({ reason: "row_missing", seq: 5 });
  });

  it("removed first events", async ({ trail }) => {
    await tamper([
      "delete from public.security_events where tenant_id = $1 and seq < 3",
      [trail.tenant],
    ]);
    expect(await verdict(trail)).toEqual({ reason: "row_missing", seq: 1, event_id: null });
  });

  it("two swapped events", async ({ trail }) => {
    const event_id = await idOf(trail, 7);
    await tamper(
      [
        "update public.security_events set seq = -1 where tenant_id = $1 and seq = 5",
        [trail.tenant],
      ],
      [
        "update public.security_events set seq = 5 where tenant_id = $1 and seq = 7",
        [trail.tenant],
      ],
      [
        "update public.security_events set seq = 7 where tenant_id = $1 and seq = -1",
        [trail.tenant],
      ],
    );
    expect(await verdictOfBoth(trail)).toEqual({ reason: "order_changed", seq: 5, event_id });
  });

  it("an event added outside the chain", async ({ trail }) => {
    await tamper([
      `insert into public.security_events (id, tenant_id, type, actor, credential)
       values ('sev_00000000000000000000000000000000' || substr(md5($1), 1, 4), $1, 'test.done',
         'user:eve', 'user')`,
      [trail.tenant],
    ]);
    expect(await verdictOfBoth(trail)).toMatchObject({ reason: "not_chained" });
  });

  it.for<[string, number]>([
    ["after the end", 4711],
    ["before the beginning", 0],
  ])("an event added outside the chain, %s", async ([, seq], { trail }) => {
    const event_id = `sev_${"0".repeat(28)}${trail.tenant.slice(-4)}`;
    await tamper([
      `insert into public.security_events (id, tenant_id, type, actor, credential, seq, prev_hash,
         hash) select $2, $1, 'test.done', 'user:eve', 'user', $3, hash, hash
         from public.security_events where tenant_id = $1 and seq = 7`,
      [trail.tenant, event_id, seq],
    ]);
    expect(await verdict(trail)).toMatchObject({ reason: "not_chained", event_id });
  });

  it("a truncated end", async ({ trail }) => {
    await tamper([
      "delete from public.security_events where tenant_id = $1 and seq > 6",
      [trail.tenant],
    ]);
    expect(await verdictOfBoth(trail)).toEqual({ reason: "tail_cut", seq: 7, event_id: null });
  });
});
