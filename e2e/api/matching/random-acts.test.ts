import fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { line, World } from "./world.ts";

const SLOW = 600_000;
const WORLDS = Number(process.env.WORLDS ?? 4);

type Act = { kind: "add" | "run" | "confirm" | "reject" | "undo" | "exclude" | "include" | "hand" | "close" | "reopen"; pick: number };

const acts = fc.array(
  fc.record<Act>({
    kind: fc.constantFrom(
      "add",
      "add",
      "add",
      "run",
      "run",
      "run",
      "confirm",
      "reject",
      "undo",
      "exclude",
      "include",
      "hand",
      "close",
      "reopen",
    ),
    pick: fc.nat(10_000),
  }),
  { minLength: 15, maxLength: 25 },
);

/** A small vocabulary, so that amounts, references and names meet. */
function lineOf(n: number, pick: number) {
  const amount = [100, 100, 250, 350, 400, 1_000, -100, -250][pick % 8] as number;
  return line(`x${n}`, amount + (pick % 5 === 0 ? 1 : 0), {
    reference: pick % 3 === 0 ? undefined : `R${pick % 6}`,
    counterparty: `C${pick % 4}`,
    value_date: `2026-10-${String(1 + (pick % 28)).padStart(2, "0")}`,
    ...(pick % 11 === 0 && { group_key: `g${pick % 2}` }),
  });
}

test(
  "whatever people and runs do, every line is in one place and no cent is missing",
  async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (chosen) => {
        const world = await World.create({ grace_days: 0 });
        await world.ok("PUT", `reconciliations/${world.period}/rules`, { body: { ...(await rulesOf(world)), automatic: "always" } });
        let n = 0;
        for (const act of chosen) {
          await perform(world, act, () => n++);
          await expectSound(world);
        }
        await world.call("POST", `reconciliations/${world.period}/reopen`, { body: { reason: "Once more" } });
        expect((await world.run()).status).toBe("done");
        await expectSound(world);
      }),
      { numRuns: WORLDS, seed: 7, endOnFailure: true },
    );
  },
  SLOW,
);

async function rulesOf(world: World): Promise<{ rules: object[] }> {
  const { rules } = await world.ok<{ rules: object[] }>("GET", `reconciliations/${world.period}/rules`);
  return { rules };
}

/** What it refuses, it refuses with a reason; nothing fails on our side. */
async function perform(world: World, { kind, pick }: Act, next: () => number): Promise<void> {
  const one = <Item>(items: readonly Item[]) => items[pick % Math.max(1, items.length)];
  const open = async () =>
    (await world.ok<{ items: { id: string }[] }>("GET", "lines", { query: { reconciliation_id: world.period, state: "open" } })).items;
  const attempt = async (method: string, path: string, body?: object) => {
    const { status, text } = await world.call(method, path, body ? { body } : {});
    expect([200, 201, 202, 400, 409], `${method} ${path} ${text}`).toContain(status);
  };
  const closed = (await world.ok<Reconciliation>("GET", `reconciliations/${world.period}`)).closed_at !== null;
  if (kind === "add") {
    const side = pick % 2 === 0 ? "left" : "right";
    await world.add(
      side,
      [0, 1, 2].map((more) => lineOf(next(), pick + more * 17)),
    );
  } else if (kind === "run") {
    if (!closed) expect((await world.run()).failure).toBeNull();
  } else if (kind === "confirm" || kind === "reject" || kind === "undo") {
    const match = one(await world.matches({ state: kind === "undo" ? "confirmed" : "suggested" }));
    if (match) await attempt("POST", `matches/${match.id}/${kind}`);
  } else if (kind === "exclude") {
    const found = one(await open());
    if (found) await attempt("POST", `lines/${found.id}/exclude`, { reason: "At random", reconciliation_id: world.period });
  } else if (kind === "include") {
    const { items } = await world.ok<{ items: { id: string }[] }>("GET", "lines", {
      query: { reconciliation_id: world.period, state: "excluded" },
    });
    const found = one(items);
    if (found) await attempt("POST", `lines/${found.id}/include`, { reason: "At random" });
  } else if (kind === "hand") {
    const found = (await open()).slice(0, 3).map(({ id }) => id);
    if (found.length > 1)
      await attempt("POST", `reconciliations/${world.period}/matches`, {
        line_ids: found,
        adjustments: [{ kind: "other", amount_minor: pick % 7 === 0 ? 0 : 100 }],
      });
  } else if (kind === "close") await attempt("POST", `reconciliations/${world.period}/close`);
  else await attempt("POST", `reconciliations/${world.period}/reopen`, { reason: "At random" });
}

/** The page's "what must always hold", read from the tables themselves. */
async function expectSound(world: World): Promise<void> {
  const { tenant, period } = world;
  const proof = await world.proof();
  expect(proof.holds, JSON.stringify(proof)).toBe(true);
  const broken = await sql(
    `select 'a match does not add up' as what, m.id::text as of from matches m join match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
     where m.tenant_id = $1 and m.state in ('confirmed', 'suggested')
     group by m.id, m.residual_minor, m.adjustments
     having sum(case mm.side when 'left' then mm.allocated_minor else -mm.allocated_minor end)
       <> m.residual_minor + coalesce((select sum((a ->> 'amount_minor')::bigint) from jsonb_array_elements(m.adjustments) a), 0)
     union all
     select 'a line is not given once', l.external_id from lines l
     join pairs p on p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no)
     cross join lateral (
       select coalesce(sum(mm.allocated_minor), 0) as minor from match_members mm join matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
       where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = p.pair_no and m.state = 'confirmed'
     ) matched
     left join private.open_lines o on o.tenant_id = l.tenant_id and o.pair_no = p.pair_no and o.line_no = l.line_no
     left join exclusions x on x.tenant_id = l.tenant_id and x.pair_no = p.pair_no and x.line_no = l.line_no
     where l.tenant_id = $1
       and (l.amount_minor <> matched.minor + coalesce(o.open_minor, 0) + coalesce(x.excluded_minor, 0)
         or abs(matched.minor) > abs(l.amount_minor) or matched.minor * sign(l.amount_minor) < 0)
     union all
     select 'a suggestion shares a line with a match, or with another', mm.line_no::text
     from match_members mm join matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
     left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
     where m.tenant_id = $1 and m.state = 'suggested'
     group by mm.line_no having count(*) > 1 or bool_or(o.line_no is null)
     union all
     select 'a line has several open exceptions', e.line_no::text from exceptions e
     where e.tenant_id = $1 and e.line_no is not null and e.status in ('open', 'in_review') group by e.line_no having count(*) > 1
     union all
     select 'an open exception of a line that is settled', e.id from exceptions e
     where e.tenant_id = $1 and e.line_no is not null and e.status in ('open', 'in_review')
       and not exists (select from private.open_lines o where o.tenant_id = e.tenant_id and o.pair_no = e.pair_no and o.line_no = e.line_no)
     union all
     select 'the count of matched lines is wrong', c.lines::text from private.matched_counts c
     where c.tenant_id = $1 and c.lines <> (
       select count(*) from matches m join match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
       where m.tenant_id = c.tenant_id and m.reconciliation_id = c.reconciliation_id and m.state = 'confirmed')`,
    [tenant],
  );
  expect(broken, period).toEqual([]);
}
