import fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { month, type NewLine, World } from "./world.ts";

const SLOW = 300_000;

/** What a period's matches say, by the callers' names of the lines: the same in every tenant. */
async function outcome({ tenant, period }: World): Promise<string[]> {
  const rows = await sql<{ said: string }>(
    `select concat_ws(' ', m.state, m.method, m.shape, m.residual_minor,
       string_agg(l.external_id || '=' || mm.allocated_minor, ',' order by l.external_id)) as said
     from matches m join match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
     join lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
     where m.tenant_id = $1 and m.reconciliation_id = $2 and m.state in ('confirmed', 'suggested')
     group by m.tenant_id, m.id order by said`,
    [tenant, period],
  );
  return rows.map(({ said }) => said);
}

type Arrival = { side: "left" | "right"; lines: NewLine[] };

/** All lines in another order and other parcels, with a run after each that `runs` names. */
async function arrived(arrivals: readonly Arrival[], runs: (at: number) => boolean): Promise<{ said: string[]; world: World }> {
  const world = await World.create();
  for (const [at, { side, lines }] of arrivals.entries()) {
    await world.add(side, lines);
    if (runs(at)) await world.run();
  }
  await world.run();
  return { said: await outcome(world), world };
}

function shuffled(seed: number): Arrival[] {
  const { left, right } = month(50);
  const all = [...left.map((one) => ({ side: "left" as const, one })), ...right.map((one) => ({ side: "right" as const, one }))];
  const order = fc.sample(fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }), { seed, numRuns: 1 })[0] ?? all;
  const parcels: Arrival[] = [];
  for (const { side, one } of order) {
    const last = parcels.at(-1);
    if (last?.side === side && last.lines.length < 9) last.lines.push(one);
    else parcels.push({ side, lines: [one] });
  }
  return parcels;
}

test(
  "the same lines give the same matches, whatever the order they came in, and step by step as at once",
  async () => {
    const { left, right } = month(50);
    const atOnce = await arrived(
      [
        { side: "left", lines: left },
        { side: "right", lines: right },
      ],
      () => false,
    );
    expect(atOnce.said.length).toBeGreaterThan(20);
    for (const seed of [1, 2, 3]) expect((await arrived(shuffled(seed), () => false)).said).toEqual(atOnce.said);
    for (const seed of [4, 5]) expect((await arrived(shuffled(seed), (at) => at % 17 === 5)).said).toEqual(atOnce.said);
  },
  SLOW,
);

test(
  "the digest is the sum of what the period holds, and a run over all of it has the same",
  async () => {
    const { world } = await arrived(shuffled(6), (at) => at % 23 === 7);
    const { digest } = await world.run();
    // Another version of the same rules weighs everything anew.
    const { rules } = await world.ok<{ rules: object[] }>("GET", `reconciliations/${world.period}/rules`);
    await world.ok("PUT", `reconciliations/${world.period}/rules`, { body: { rules } });
    const whole = await world.run();
    expect(whole).toMatchObject({ digest, changed: { added: 0, undone: 0 } });
  },
  SLOW,
);
