import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { createTenant, sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { EVENTS, it, rehashFrom, verdict, verdictOfBoth } from "./chained.ts";
import { auditCommand, tamper } from "./trail.ts";

// Each test waits for the worker to sign, which it does every ten seconds.
describe.concurrent("signed states", () => {
  it("a signed state exposes a rewrite in which every hash fits", async ({ trail }) => {
    await trail.signed();
    await tamper(
      [
        "update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5",
        [trail.tenant],
      ],
      [rehashFrom(trail, 5)],
    );
    expect(await verdictOfBoth(trail)).toMatchObject({ reason: "tail_rewritten" });
    const { fault, verified_through } = await trail.verify();
    expect(fault?.message).toMatch(/some of the events \d+ to \d+ were rewritten since/);
    expect(verified_through?.seq).toBeLessThan(EVENTS);
  });

  it("a signed state exposes a cut end with a matching head", async ({ trail }) => {
    await trail.signed();
    await tamper(
      ["delete from public.security_events where tenant_id = $1 and seq > 6", [trail.tenant]],
      [rehashFrom(trail, 6)],
    );
    expect(await verdict(trail)).toEqual({ reason: "tail_cut", seq: 7, event_id: null });
  });

  it("a signed state exposes the removal of all events", async ({ trail }) => {
    await trail.signed();
    await tamper(
      ["delete from public.security_events where tenant_id = $1", [trail.tenant]],
      ["delete from private.security_event_heads where chain = $1", [trail.tenant]],
    );
    expect(await verdict(trail)).toEqual({ reason: "tail_cut", seq: 1, event_id: null });
  });

  it("a signed state can't be forged without the key", async ({ trail }) => {
    await trail.signed();
    await tamper(
      [
        "update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5",
        [trail.tenant],
      ],
      [rehashFrom(trail, 5)],
      [
        `update private.security_event_checkpoints c set hash = e.hash from public.security_events e
         where e.tenant_id = c.chain and e.seq = c.seq and c.chain = $1`,
        [trail.tenant],
      ],
    );
    expect(await verdictOfBoth(trail)).toMatchObject({ reason: "checkpoint_invalid" });
  });

  it("the worker's log exposes a rewrite without signed states", async ({ trail }) => {
    await trail.signed();
    const { checkpoint } = await trail.verify();
    await tamper(
      [
        "update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5",
        [trail.tenant],
      ],
      [rehashFrom(trail, 5)],
      ["delete from private.security_event_checkpoints where chain = $1", [trail.tenant]],
    );
    expect((await trail.verify()).status).toBe("intact");
    const log = join(mkdtempSync(join(tmpdir(), "tieout-audit-")), "worker.log");
    writeFileSync(
      log,
      `{"msg":"something else"}\nno json\n${JSON.stringify({ msg: "audit checkpoint", chain: trail.tenant, ...checkpoint })}\n`,
    );
    const { code, output } = await auditCommand(
      "verify",
      "--tenant",
      trail.tenant,
      "--checkpoints",
      log,
    );
    expect(code).toBe(1);
    expect(output).toContain("tail_rewritten");
  });

  it("a broken chain gets no further signatures", async ({ trail }) => {
    await trail.signed();
    await tamper(
      [
        "update public.security_events set reason = 'x' where tenant_id = $1 and seq = $2",
        [trail.tenant, EVENTS],
      ],
      [rehashFrom(trail, EVENTS)],
    );
    const other = await createTenant();
    await sql(
      `insert into public.security_events (tenant_id, type, actor) values ($1, 'test.done', 'x'),
         ($2, 'test.done', 'x')`,
      [trail.tenant, other],
    );
    const signed = () =>
      sql("select from private.security_event_checkpoints where chain = $1 and seq = $2", [
        other,
        1,
      ]);
    await until("the other chain is signed", async () => (await signed()).length === 1);
    expect(
      await sql("select from private.security_event_checkpoints where chain = $1 and seq > $2", [
        trail.tenant,
        EVENTS,
      ]),
    ).toHaveLength(0);
  });
});
