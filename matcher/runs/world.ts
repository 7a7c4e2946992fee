import type { Client } from "pg";
import { combinationHashOf } from "../engine/content-hash.ts";
import { Lines } from "../engine/lines.ts";
import { copyRows } from "./copy-rows.ts";
import type { RunToDo } from "./run-to-do.ts";

/** A match that the engine made before, and would keep, replace or take back. */
export type Present = {
  id: string;
  state: "confirmed" | "suggested";
  method: string;
  score: number;
  currency: string;
  amount_minor: number;
  hash: string;
  lines: number[];
  allocated: number[];
};

export type LoadedWorld = { left: Lines; right: Lines; present: Present[]; rejected: Set<string>; ids: Map<number, string> | null };

/**
 * What a run weighs, as it was at one moment: what is open up to the period's end (of a closed period what was carried forward), what the engine made and may make otherwise, and of
 * what leading exact rules settled that which shares its amount and currency with any of it: with that it decides what a run over all lines
 * would (matcher/engine/README.md). Each lookup goes by the whole key (`offset 0`): of a new pair the planner would expect hardly a row.
 */
export async function loadWorld(client: Client, run: RunToDo): Promise<LoadedWorld> {
  const scope = [run.tenantId, run.reconciliationId, run.pairNo];
  await client.query("begin isolation level repeatable read");
  try {
    await client.query(`create temp table taken_up (id uuid not null) on commit drop;
      create temp table given_lines (line_no bigint not null, side text not null, minor bigint not null, currency text not null) on commit drop`);
    await client.query(
      `insert into taken_up select m.id from public.matches m where m.tenant_id = $1 and m.reconciliation_id = $2
         and m.state = 'confirmed' and m.decided_by is null and ($3 or not m.settled)`,
      [run.tenantId, run.reconciliationId, run.whole],
    );
    if (run.closed) {
      await client.query(
        `insert into given_lines select c.line_no, c.side, c.open_minor, l.currency from public.carried_lines c
         cross join lateral (select x.currency from public.lines x where x.tenant_id = $1 and x.line_no = c.line_no offset 0) l
         where c.tenant_id = $1 and c.reconciliation_id = $2`,
        scope.slice(0, 2),
      );
    } else {
      await client.query(
        `insert into given_lines select o.line_no, o.side, o.open_minor, o.currency from private.open_lines o
         where o.tenant_id = $1 and o.pair_no = $2 and o.value_date <= $3`,
        [run.tenantId, run.pairNo, run.periodEnd],
      );
    }
    await client.query(giveLinesOf("taken_up"), [run.tenantId]);
    if (!run.whole) {
      await client.query("create temp table settled_too (id uuid not null) on commit drop");
      await client.query(
        `insert into settled_too select m.id from (select distinct currency, minor from given_lines) g
         cross join lateral (
           select x.id from public.matches x where x.tenant_id = $1 and x.reconciliation_id = $2 and x.settled and x.state = 'confirmed'
             and x.decided_by is null and x.amount_minor = g.minor and x.currency = g.currency offset 0) m`,
        scope.slice(0, 2),
      );
      await client.query(giveLinesOf("settled_too"), [run.tenantId]);
      await client.query("insert into taken_up select id from settled_too");
    }
    const counts = await client.query<{ left: string; right: string }>(
      `select count(*) filter (where side = 'left') as left, count(*) filter (where side = 'right') as right from given_lines`,
    );
    const { left = "0", right = "0" } = counts.rows[0] ?? {};
    const world = { left: new Lines("left", Number(left)), right: new Lines("right", Number(right)) };
    const ids = run.dryRun ? new Map<number, string>() : null;
    await copyLines(client, run, world, ids);
    const present = await copyPresent(client, run);
    const rejected = await readRejected(client, run);
    await client.query("commit");
    return { ...world, present, rejected, ids };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Gives the run the lines of the matches whose ids `table` holds, by what they took of each. */
function giveLinesOf(table: "taken_up" | "settled_too"): string {
  return `insert into given_lines select mm.line_no, mm.side, mm.allocated_minor, m.currency from ${table} t
    cross join lateral (select x.currency from public.matches x where x.tenant_id = $1 and x.id = t.id offset 0) m
    cross join lateral (
      select x.line_no, x.side, x.allocated_minor from public.match_members x where x.tenant_id = $1 and x.match_id = t.id offset 0) mm`;
}

async function copyLines(client: Client, run: RunToDo, world: Pick<LoadedWorld, "left" | "right">, ids: Map<number, string> | null) {
  // A line that is partly matched is given what is open of it and what its matches took.
  const given =
    (await client.query<{ repeated: boolean }>("select exists (select from taken_up) as repeated")).rows[0]?.repeated === true
      ? "(select line_no, side, sum(minor)::bigint as minor from given_lines group by 1, 2)"
      : "given_lines";
  await copyRows(
    client,
    `select g.side = 'left', g.line_no, l.id, g.minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key
     from ${given} g cross join lateral (
       select * from public.lines x where x.tenant_id = ${client.escapeLiteral(run.tenantId)} and x.line_no = g.line_no offset 0) l`,
    (row) => {
      const side = row.boolean() ? world.left : world.right;
      const handle = row.integer();
      const identity = row.bytes() as Buffer;
      ids?.set(handle, identity.toString("hex"));
      side.add({
        handle,
        identity,
        amount_minor: row.integer(),
        currency: row.text() as string,
        value_date: row.day() as number,
        booked_date: row.day(),
        reference: row.bytes(),
        counterparty: row.bytes(),
        description: row.bytes(),
        group_key: row.bytes(),
      });
    },
  );
}

async function copyPresent(client: Client, run: RunToDo): Promise<Present[]> {
  const tenant = client.escapeLiteral(run.tenantId);
  const present: Present[] = [];
  let last = "";
  await copyRows(
    client,
    `select m.id, m.state = 'confirmed', convert_to(m.method, 'UTF8'), coalesce(m.score, 0), m.currency, m.amount_minor, m.hash_high, m.hash_low, mm.line_no, mm.allocated_minor
     from (
       select id from taken_up union all
       select x.id from public.matches x where x.tenant_id = ${tenant} and x.reconciliation_id = ${client.escapeLiteral(run.reconciliationId)}
         and x.state = 'suggested'
     ) t
     cross join lateral (select * from public.matches x where x.tenant_id = ${tenant} and x.id = t.id offset 0) m
     cross join lateral (select * from public.match_members x where x.tenant_id = ${tenant} and x.match_id = t.id offset 0) mm
     order by m.id, mm.side, mm.line_no`,
    (row) => {
      const id = (row.bytes() as Buffer).toString("hex");
      const state = row.boolean() ? "confirmed" : "suggested";
      const method = (row.bytes() as Buffer).toString("utf8");
      const score = row.real();
      const currency = row.text() as string;
      const amount_minor = row.integer();
      const hash = (row.bytes() as Buffer).toString("hex") + (row.bytes() as Buffer).toString("hex");
      if (id !== last) present.push({ id: hyphenated(id), state, method, score, currency, amount_minor, hash, lines: [], allocated: [] });
      last = id;
      const match = present[present.length - 1] as Present;
      match.lines.push(row.integer());
      match.allocated.push(row.integer());
    },
  );
  return present;
}

/** Combinations that people rejected or undid. */
async function readRejected(client: Client, run: RunToDo): Promise<Set<string>> {
  const { rows } = await client.query<{ lefts: string[] | null; rights: string[] | null }>(
    `select array_agg(l.id::text) filter (where mm.side = 'left') as lefts, array_agg(l.id::text) filter (where mm.side = 'right') as rights
     from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
     join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
     where m.tenant_id = $1 and m.pair_no = $2 and m.decided_by is not null and m.state in ('rejected', 'undone')
     group by m.id`,
    [run.tenantId, run.pairNo],
  );
  const bytes = (ids: string[] | null) => (ids ?? []).map((id) => Buffer.from(id.replaceAll("-", ""), "hex"));
  return new Set(rows.map(({ lefts, rights }) => combinationHashOf(bytes(lefts), bytes(rights))));
}

/** 32 hexadecimal digits as Postgres writes a uuid. */
export function hyphenated(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
