/**
 * How long closing, reopening and archiving a period take, and each part of a close: of a side's
 * lines 80 % are matched by an exact rule, 8 % by another, 10 % are suggested (one in five with an
 * exception) and 2 % open. Starts a separate database, filled by SQL.
 *
 *   node bench/closing.ts [lines a side]
 */
import type { JobHelpers } from "graphile-worker";
import type { Client } from "pg";
import { FreshTenant } from "#e2e/fresh-tenant.ts";
import { claimsOf } from "#lib/db/claims.ts";
import { setRoleStatement } from "#lib/db/direct/call-directly.ts";
import { withFreshDatabases } from "../bin/dev/generate/fresh-database.ts";
import { run, schemaSql } from "../bin/dev/migration/schemas.ts";
import { closePeriodTask } from "../worker/matcher/tasks/close-period.ts";
import { copySignedItems } from "../worker/matcher/tasks/copy-signed-items.ts";

const lines = Number(process.argv[2] ?? 100_000);
const TENANT = "bench";
const ADA = {
  type: "user" as const,
  issuer: "",
  sessionId: null,
  id: "ada",
  lineageId: "ada",
  name: "ada",
  scopes: [],
};

/** $1: the tenant, $2: the period, $3: lines a side. Lines n of both sides match. */
const FILL = [
  `insert into public.lines (tenant_id, id, line_no, source_no, amount_minor, currency, value_date,
     reference, counterparty, description)
   overriding system value
   select $1, md5(side || ' ' || n)::uuid, n + case side when 'left' then 0 else $3::integer end,
     s.source_no, 1000 + n % 100000, 'EUR',
     date '2026-03-01' + n % 28, 'RG-' || n, 'Customer ' || n % 997, 'Invoice'
   from public.pairs p cross join (values ('left'), ('right')) v (side)
   cross join generate_series(1, $3::integer) n
   join public.sources s on s.tenant_id = p.tenant_id
     and s.source_no = case side when 'left' then p.left_source_no else p.right_source_no end
   where p.tenant_id = $1 and $2 <> '' order by n, side`,
  "update public.sources set line_count = $3 where tenant_id = $1 and $2 <> ''",
  `insert into public.matches
     (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score,
       currency, amount_minor, explanation)
   select r.tenant_id, lpad(to_hex(n), 32, '0')::uuid, r.pair_no, r.id, 'run_1',
     case when n % 50 >= 44 then 'suggested' else 'confirmed' end, '1:1',
       case when n % 50 < 40 then 'Same reference' else 'Evidence' end, n % 50 < 40,
     case when n <= 50000 then 0.5 else 0.9 end, 'EUR', 1000 + n % 100000,
     case when n % 50 >= 40 then
       '{"fields": [{"field": "amount", "verdict": "same", "weight": 4.2}]}'::jsonb end
   from public.reconciliations r cross join generate_series(1, $3::integer) n
   where r.tenant_id = $1 and r.id = $2 and n % 50 < 49 order by n`,
  `insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
   select m.tenant_id, m.id, m.pair_no, x.line_no, x.side, m.amount_minor
   from public.matches m
   cross join lateral (select ('x' || right(m.id::text, 8))::bit(32)::integer as n) i
   cross join lateral (values (n, 'left'), (n + $3::integer, 'right')) x (line_no, side)
   where m.tenant_id = $1 and $2 <> '' order by m.id, x.line_no`,
  `insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
     open_minor, value_date)
   select r.tenant_id, r.pair_no, l.line_no,
     case when l.line_no <= $3 then 'left' else 'right' end, 'EUR', l.amount_minor, l.amount_minor,
     l.value_date
   from public.reconciliations r join public.lines l on l.tenant_id = r.tenant_id
   where r.tenant_id = $1 and r.id = $2 and ((l.line_no - 1) % $3 + 1) % 50 >= 44`,
  `insert into private.matched_counts (tenant_id, reconciliation_id, lines)
   select $1, $2, 2 * count(*) from public.matches m where m.tenant_id = $1
     and m.state = 'confirmed' and $3 > 0`,
  `insert into public.runs (id, tenant_id, reconciliation_id, pair_no, status, finished_at,
     created_by)
   select 'run_1', r.tenant_id, r.id, r.pair_no, 'done', now(), 'test' from public.reconciliations r
   where r.tenant_id = $1 and r.id = $2 and $3 > 0`,
  `select count(*) from private.change_exceptions('create', array(
     select jsonb_build_object('tenant_id', $1::text, 'title', 'Open', 'severity', 'low',
       'reason_code', 'ambiguous',
       'amount_minor', m.amount_minor, 'currency', 'EUR', 'reconciliation_id', m.reconciliation_id,
       'details', '{}'::jsonb,
       'pair_no', m.pair_no, 'line_no', l.line_no, 'line_id', l.id, 'suggested_match_id', m.id,
       'grouped_match_id', m.id)
     from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id
       and mm.match_id = m.id and mm.side = 'left'
     join public.lines l on l.tenant_id = m.tenant_id and l.line_no = mm.line_no
     where m.tenant_id = $1 and $2 <> '' and $3 > 0 and m.state = 'suggested'
       and l.line_no % 50 = 45))`,
  `insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
   select e.tenant_id, e.line_no, e.pair_no, e.id from public.exceptions e where e.tenant_id = $1
     and $2 <> '' and $3 > 0`,
];

/** Statements, run in this order in one transaction. $1: the tenant, $2: the period. */
const PARTS: Record<string, string> = {
  "carry suggestions and exceptions": "select private.carry_forward(r)",
  "carry lines": `insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side,
      open_minor, currency, value_date)
    select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date
    from r cross join lateral private.open_in_period(r) o order by o.line_no`,
  proof: "select private.proof_json(r)",
  "statement, proof included": "select private.statement_json(r)",
  "kept statement": `insert into public.closings (tenant_id, reconciliation_id, statement,
      closed_by)
    select r.tenant_id, r.id, private.statement_json(r), 'ada' from r`,
  digest: "select private.closing_digest(r.tenant_id, r.id)",
  waterfall: "select private.complete_last_run(r)",
  "reconciliation as JSON": "select private.reconciliation_json(r)",
};

await withFreshDatabases(async (fresh) => {
  const { url, client } = await fresh();
  await run(client, schemaSql(), "supabase/schemas");
  const tenant = await FreshTenant.create(TENANT, url, client);
  const period = await tenant.bind(await tenant.source("Left"), await tenant.source("Right"));
  const filledFrom = performance.now();
  for (const statement of FILL) await client.query(statement, [TENANT, period, lines]);
  await client.query("analyze");
  console.log(
    `${lines} lines a side, filled in ${((performance.now() - filledFrom) / 1000).toFixed(1)} s`,
  );
  await client.query("begin");
  for (const [name, statement] of Object.entries(PARTS)) {
    const text = `with r as materialized (select * from public.reconciliations r
        where r.tenant_id = $1 and r.id = $2) ${statement}`;
    await timed(name, () =>
      client.query(statement.startsWith("select") ? `${text} from r` : text, [TENANT, period]),
    );
  }
  await client.query("rollback");
  const filter = { reconciliation_id: period, score_below: "0.6" };
  const confirm = { action: "confirm", filter, expected_count: Math.min(lines, 50_000) / 10 };
  await timed("confirm at most 5,000", () =>
    call(client, "decide_matches", "decideMatches", confirm),
  );
  const { rows } = await client.query("select id from private.decisions where tenant_id = $1", [
    TENANT,
  ]);
  await timed("undo of that", () =>
    call(client, "undo_decision", "undoDecision", { id: rows[0].id }),
  );
  const close = async () => {
    await timed("close, answered", () =>
      call(client, "close_reconciliation", "closeReconciliation", { id: period }),
    );
    const key = { tenant_id: TENANT, reconciliation_id: period };
    await timed("close, done by a matcher", async () =>
      closePeriodTask(url)(key, { job: { attempts: 1, max_attempts: 1 } } as unknown as JobHelpers),
    );
  };
  await close();
  await timed("proof of a closed one", () => call(client, "get_proof", "getProof", { id: period }));
  await timed("copy of what was signed", async () =>
    copySignedItems({}, {
      query: (text: string, values: unknown[]) => client.query(text, values),
    } as unknown as JobHelpers),
  );
  await timed("reopen", () =>
    call(client, "reopen_reconciliation", "reopenReconciliation", {
      id: period,
      reason: "To measure it",
    }),
  );
  await close();
  await timed("archive", () =>
    call(client, "update_reconciliation", "updateReconciliation", {
      id: period,
      patch: { status: "archived" },
    }),
  );
});
process.exit(0);

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  await work();
  console.log(name.padEnd(26), `${((performance.now() - from) / 1000).toFixed(2)} s`);
}

async function call(client: Client, verb: string, operation: string, input: object): Promise<void> {
  await client.query("begin");
  const { text, values } = setRoleStatement(
    claimsOf({ ...ADA, roles: ["tenant_admin"] }, TENANT),
    "0",
  );
  await client.query(text, values);
  await client.query(`select public.${verb}(input => $1, request => $2)`, [
    input,
    { operation, request_id: "req_1" },
  ]);
  await client.query("commit");
}
