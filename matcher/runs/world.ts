import type { Client } from "pg";
import { combinationHashOf } from "../engine/content-hash.ts";
import { type Line, Lines } from "../engine/lines.ts";
import { Names } from "../engine/names.ts";
import { requireCapacity } from "./capacity.ts";
import { copyRows } from "./copy-rows.ts";
import { type Fees, readFees } from "./fees.ts";
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

export type LoadedWorld = {
  left: Lines;
  right: Lines;
  present: Present[];
  rejected: Set<string>;
  ids: Map<number, string> | null;
  fees: Fees;
};

/** So often their texts' bytes are looked at while lines are read. */
const LINES_A_LOOK = 10_000;

/**
 * Statements over rows that were just written are planned on what the planner knew before. So each reads a table once, by numbers in their order,
 * which one index alone gives, and joins what comes in that order: no estimate can make it look up line by line, or in another index.
 */
const SHAPED = "set local enable_nestloop = off; set local enable_hashjoin = off; set local enable_sort = off; set local work_mem = '64MB'";

/**
 * What a run weighs, as it was at one moment: what is open up to the period's end (of a closed period what was carried forward), what the engine made and may make otherwise, and of
 * what leading exact rules settled that which shares its amount and currency with any of it: with that it decides what a run over all lines
 * would (matcher/engine/README.md).
 */
export async function loadWorld(client: Client, run: RunToDo): Promise<LoadedWorld> {
  const scope = [run.tenantId, run.reconciliationId, run.pairNo];
  await client.query("begin isolation level repeatable read");
  try {
    await client.query(`${SHAPED};
      create temp table taken_up (id uuid not null, currency text not null) on commit drop;
      create temp table given_lines (line_no bigint not null, side text not null, minor bigint not null, currency text) on commit drop`);
    await client.query(
      `insert into taken_up select m.id, m.currency from public.matches m where m.tenant_id = $1 and m.reconciliation_id = $2
         and m.state = 'confirmed' and m.decided_by is null and ($3 or not m.settled)`,
      [run.tenantId, run.reconciliationId, run.whole],
    );
    if (run.closed) {
      await client.query(
        `insert into given_lines select c.line_no, c.side, c.open_minor from public.carried_lines c
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
    const fees = await readFees(client, run);
    if (!run.whole) {
      await client.query("create temp table settled_too (like taken_up) on commit drop");
      const minors =
        fees.size === 0
          ? "select distinct minor, currency from given_lines"
          : `select minor, currency from given_lines
             union select g.minor - f.minor, g.currency from given_lines g join line_fees f on f.line_no = g.line_no`;
      await client.query(
        `insert into settled_too select m.id, m.currency
         from (${minors} order by minor, currency) g
         join (
           select x.id, x.amount_minor, x.currency from public.matches x
           where x.tenant_id = $1 and x.reconciliation_id = $2 and x.settled and x.state = 'confirmed' and x.decided_by is null
             and x.amount_minor = any (array(select distinct minor from (${minors}) y))
           order by x.amount_minor, x.currency
         ) m on m.amount_minor = g.minor and m.currency = g.currency`,
        scope.slice(0, 2),
      );
      await client.query(giveLinesOf("settled_too"), [run.tenantId]);
      await client.query("insert into taken_up select id, currency from settled_too");
    }
    const counts = await client.query<{ left: string; right: string }>(
      `select count(*) filter (where side = 'left') as left, count(*) filter (where side = 'right') as right from given_lines`,
    );
    const { left = "0", right = "0" } = counts.rows[0] ?? {};
    const lines = Number(left) + Number(right);
    requireCapacity(lines, 0);
    const ids = run.dryRun ? new Map<number, string>() : null;
    const world = { left: new Lines("left", Number(left)), right: new Lines("right", Number(right)), ids, fees };
    await copyLines(client, run, world, lines);
    const present = await copyPresent(client, run);
    const rejected = await readRejected(client, run);
    await client.query("commit");
    return { ...world, present, rejected };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Members of the matches whose ids `table` holds, in the order of these; `tenant` is an expression of SQL. */
function membersOf(table: string, tenant: string): string {
  return `(select x.match_id, x.line_no, x.side, x.allocated_minor from public.match_members x
    where x.tenant_id = ${tenant} and x.match_id = any (array(select id from ${table})) order by x.match_id)`;
}

/** Lines whose numbers `table` holds, in the order of these. */
function linesOf(table: string, tenant: string): string {
  return `(select * from public.lines x where x.tenant_id = ${tenant} and x.line_no = any (array(select line_no from ${table})) order by x.line_no)`;
}

/** Gives the run the lines of the matches whose ids `table` holds, by what they took of each. */
function giveLinesOf(table: "taken_up" | "settled_too"): string {
  return `insert into given_lines select mm.line_no, mm.side, mm.allocated_minor, t.currency
    from (select * from ${table} order by id) t join ${membersOf(table, "$1")} mm on mm.match_id = t.id`;
}

type Given = Pick<LoadedWorld, "left" | "right" | "ids" | "fees">;

async function copyLines(client: Client, run: RunToDo, world: Given, lines: number) {
  // A line that is partly matched is given what is open of it and what its matches took.
  const given =
    (await client.query<{ repeated: boolean }>("select exists (select from taken_up) as repeated")).rows[0]?.repeated === true
      ? "select line_no, side, sum(minor)::bigint as minor from given_lines group by 1, 2"
      : "select line_no, side, minor from given_lines";
  const names = new Names(run.weights?.names);
  let read = 0;
  await copyRows(
    client,
    `select g.side = 'left', g.line_no, l.id, g.minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key
     from (${given} order by line_no) g join ${linesOf("given_lines", client.escapeLiteral(run.tenantId))} l on l.line_no = g.line_no`,
    (row) => {
      if (++read % LINES_A_LOOK === 0) requireCapacity(lines, world.left.textBytes + world.right.textBytes);
      const side = row.boolean() ? world.left : world.right;
      const handle = row.integer();
      const identity = row.bytes() as Buffer;
      world.ids?.set(handle, identity.toString("hex"));
      const line: Line = {
        handle,
        identity,
        amount_minor: row.integer() - (world.fees.get(handle) ?? 0),
        currency: row.text() as string,
        value_date: row.day() as number,
        booked_date: row.day(),
        reference: row.bytes(),
        counterparty: row.bytes(),
        description: row.bytes(),
        group_key: row.bytes(),
      };
      if (side === world.right) line.known_as = names.of(line);
      side.add(line);
    },
  );
}

async function copyPresent(client: Client, run: RunToDo): Promise<Present[]> {
  const tenant = client.escapeLiteral(run.tenantId);
  await client.query(
    `insert into taken_up select m.id, m.currency from public.matches m where m.tenant_id = $1 and m.reconciliation_id = $2 and m.state = 'suggested'`,
    [run.tenantId, run.reconciliationId],
  );
  const present = new Map<string, Present>();
  await copyRows(
    client,
    `select m.id, m.state = 'confirmed', convert_to(m.method, 'UTF8'), coalesce(m.score, 0), m.currency, m.amount_minor, m.hash_high, m.hash_low, mm.line_no, mm.allocated_minor
     from (select * from public.matches x where x.tenant_id = ${tenant} and x.id = any (array(select id from taken_up)) order by x.id) m
     join ${membersOf("taken_up", tenant)} mm on mm.match_id = m.id`,
    (row) => {
      const id = (row.bytes() as Buffer).toString("hex");
      const state = row.boolean() ? "confirmed" : "suggested";
      const method = (row.bytes() as Buffer).toString("utf8");
      const score = row.real();
      const currency = row.text() as string;
      const amount_minor = row.integer();
      const hash = (row.bytes() as Buffer).toString("hex") + (row.bytes() as Buffer).toString("hex");
      let match = present.get(id);
      if (!match) {
        match = { id: hyphenated(id), state, method, score, currency, amount_minor, hash, lines: [], allocated: [] };
        present.set(id, match);
      }
      match.lines.push(row.integer());
      match.allocated.push(row.integer());
    },
  );
  return [...present.values()];
}

/** Combinations that people rejected or undid. */
async function readRejected(client: Client, run: RunToDo): Promise<Set<string>> {
  await client.query("create temp table refused (id uuid not null) on commit drop");
  await client.query(
    `insert into refused select m.id from public.matches m where m.tenant_id = $1 and m.pair_no = $2 and m.decided_by is not null
       and m.state in ('rejected', 'undone')`,
    [run.tenantId, run.pairNo],
  );
  const tenant = client.escapeLiteral(run.tenantId);
  const { rows } = await client.query<{ lefts: string[] | null; rights: string[] | null }>(
    `with members as materialized (select * from ${membersOf("refused", tenant)} x)
     select array_agg(l.id::text) filter (where mm.side = 'left') as lefts, array_agg(l.id::text) filter (where mm.side = 'right') as rights
     from (select * from members order by line_no) mm join ${linesOf("members", tenant)} l on l.line_no = mm.line_no
     group by mm.match_id`,
  );
  const bytes = (ids: string[] | null) => (ids ?? []).map((id) => Buffer.from(id.replaceAll("-", ""), "hex"));
  return new Set(rows.map(({ lefts, rights }) => combinationHashOf(bytes(lefts), bytes(rights))));
}

/** 32 hexadecimal digits as Postgres writes a uuid. */
export function hyphenated(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
