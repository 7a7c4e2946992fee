/** A test's audit log with a few events, and its verification. */
import { expect, it as plain } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { auditCommand, type Trail, tenantWithTrail } from "./trail.ts";

export const EVENTS = 9;

export const it = plain.extend<{ trail: Trail }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs from the pattern
  trail: async ({}, use) => {
    const trail = await tenantWithTrail();
    await trail.append(EVENTS);
    await use(trail);
  },
});

type Verdict = {
  reason: string | undefined;
  seq: number | undefined;
  event_id: string | null | undefined;
};

export async function verdict(trail: Trail): Promise<Verdict> {
  const { fault } = await trail.verify();
  return { reason: fault?.reason, seq: fault?.seq, event_id: fault?.event_id };
}

/** The verdict of the API, which the command must confirm. Used once for each kind of fault. */
export async function verdictOfBoth(trail: Trail): Promise<Verdict> {
  const { status, fault } = await trail.verify();
  const { code, output } = await auditCommand("verify", "--tenant", trail.tenant);
  expect(code).toBe(status === "intact" ? 0 : 1);
  if (fault) expect(output).toContain(`broken at event ${fault.seq} (${fault.reason})`);
  else expect(output).toContain(`✓ ${trail.tenant}`);
  return { reason: fault?.reason, seq: fault?.seq, event_id: fault?.event_id };
}

export async function idOf(trail: Trail, seq: number): Promise<string | undefined> {
  const rows = await sql<{ id: string }>(
    "select id from public.security_events where tenant_id = $1 and seq = $2",
    [trail.tenant, seq],
  );
  return rows[0]?.id;
}

/** Recomputes the hashes from an event on, as an attacker with the database's code could. */
const REHASH = `do $$
declare
  e public.security_events;
  before text;
begin
  select x.hash into before from public.security_events x where x.tenant_id = 'TENANT' and x.seq < FROM order by x.seq desc limit 1;
  for e in select * from public.security_events x where x.tenant_id = 'TENANT' and x.seq >= FROM order by x.seq loop
    e.prev_hash := before;
    e.hash := private.security_event_hash(e);
    update public.security_events x set prev_hash = e.prev_hash, hash = e.hash where x.id = e.id;
    before := e.hash;
  end loop;
  update private.security_event_heads h set hash = before, seq = (select max(seq) from public.security_events x where x.tenant_id = 'TENANT') where h.chain = 'TENANT';
end $$`;
export const rehashFrom = ({ tenant }: Trail, seq: number): string =>
  REHASH.replaceAll("TENANT", tenant).replaceAll("FROM", String(seq));
