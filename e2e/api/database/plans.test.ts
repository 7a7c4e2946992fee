import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTenant, sql, superuserUrl } from "#e2e/fixtures.ts";
import type { Principal } from "#lib/auth/principal.ts";
import { claimsOf } from "#lib/db/claims.ts";
import { become } from "#lib/db/direct/call-directly.ts";

type Node = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
};
type Explained = { "Query Text": string; Plan: Node };

/** Enough that a plan which reads a tenant's all is not the cheapest. */
const ROWS = 10_000;
/** A page and what its filters pass over. */
const READ_MOST = 1_000;
const BIG = /^(exceptions|exception_clocks|exception_history|events)$/;

const lead: Principal = {
  type: "user",
  issuer: "",
  sessionId: null,
  id: "ada",
  lineageId: "ada",
  name: "ada",
  roles: ["tenant_admin", "tenant_analyst", "tenant_lead"],
  scopes: [],
};

let tenant: string;
let exceptionId: string;
const client = new Client({ connectionString: superuserUrl() });

beforeAll(async () => {
  tenant = await createTenant();
  await sql(
    `insert into public.exceptions (tenant_id, title, severity, due_at, assigned_to, created_by)
     select $1, 'Payout ' || i, (array['critical','high','medium','low'])[1 + i % 4], now() + interval '10 minutes' * (i - 500),
       case when i % 7 > 0 then 'user:u' || i % 7 end, 'user:bench' from generate_series(1, $2::int) i`,
    [tenant, ROWS],
  );
  while ((await sql<{ tick: { moved: number } }>("select private.tick_sla_clock(20000) as tick"))[0]?.tick.moved) {}
  for (const table of ["public.exceptions", "private.exception_clocks", "public.events"]) await sql(`analyze ${table}`);
  exceptionId =
    (await sql<{ id: string }>("select id from public.exceptions where tenant_id = $1 order by due_at limit 1", [tenant]))[0]?.id ?? "";
  await client.connect();
  await client.query("load 'auto_explain'");
  const settings = {
    log_min_duration: 0,
    log_nested_statements: "on",
    log_analyze: "on",
    log_format: "json",
    log_level: "notice",
    log_timing: "off",
  };
  for (const [name, value] of Object.entries(settings)) await client.query(`set auto_explain.${name} = '${value}'`);
}, 120_000);
afterAll(() => client.end());

/** Behind more than half of the deadlines, and behind all. */
const LATE = new Date(Date.now() + 50 * 24 * 3_600_000).toISOString();
const NEVER = "2999-01-01T00:00:00.000Z";
const board = (input: object) => ["list_sla_exceptions", () => ({ limit: 50, ...input })] as const;
const CALLS: Record<string, readonly [verb: string, input: () => object]> = {
  "the board by deadline": board({ sort_by: "due_at" }),
  "the board by severity": board({ sort_by: "severity" }),
  "the board by assignee": board({ sort_by: "assigned_to" }),
  "the board of one assignee": board({ sort_by: "due_at", assigned_to: "user:u3" }),
  "the board of one assignee, by assignee": board({ sort_by: "assigned_to", assigned_to: "user:u3" }),
  "a far page of the board by deadline": board({ sort_by: "due_at", after: ["", LATE, "exc_"] }),
  "a far page of the board by severity": board({ sort_by: "severity", after: ["2", LATE, "exc_"] }),
  "a far page of the board by assignee": board({ sort_by: "assigned_to", after: ["0user:u3", LATE, "exc_"] }),
  "the page of the board by assignee on which nobody's begin": board({ sort_by: "assigned_to", after: ["0user:u6", NEVER, "exc_"] }),
  "a far page of what is assigned to nobody": board({ sort_by: "assigned_to", after: ["1", LATE, "exc_"] }),
  "the board of one severity": board({ sort_by: "due_at", severity: "high" }),
  "the board of what is at no risk yet": board({ sort_by: "due_at", breach_risk: "low" }),
  "the time to breach": ["get_time_to_breach", () => ({})],
  "the list": ["list_exceptions", () => ({ limit: 50 })],
  "one exception": ["get_exception", () => ({ id: exceptionId })],
  "a new exception": ["create_exception", () => ({ title: "New", severity: "high", due_at: "2999-01-01T00:00:00.000Z" })],
  "a change": ["update_exception", () => ({ id: exceptionId, title: "Changed" })],
  "a history": ["list_exception_history", () => ({ id: exceptionId, limit: 50 })],
  "a key's owner": ["get_me", () => ({})],
};

describe("with 10,000 open exceptions", () => {
  test.each(Object.entries(CALLS))("%s reads and sorts no more than a page needs", async (_what, [verb, input]) => {
    const plans = await plansOf(verb, input());
    expect(plans.length).toBeGreaterThan(0);
    const nodes = plans.flatMap((plan) => nodesOf(plan.Plan).map((node) => ({ ...node, query: plan["Query Text"] })));
    const tooMuch = nodes.filter((node) => rowsOf(node) > READ_MOST || scansAll(node));
    expect(tooMuch.map((node) => `${node["Node Type"]} of ${rowsOf(node)} rows for ${node.query}`)).toEqual([]);
  });
});

/** What a node took in. */
function rowsOf(node: Node): number {
  const passed = (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
  return Math.max(passed, ...(node.Plans ?? []).map((child) => child["Actual Rows"] * child["Actual Loops"]));
}

function scansAll(node: Node): boolean {
  return node["Node Type"] === "Seq Scan" && BIG.test(node["Relation Name"] ?? "");
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Of the statements that a function ran, those inside it included, as the caller who may. */
async function plansOf(verb: string, input: object): Promise<Explained[]> {
  const plans: Explained[] = [];
  const take = ({ message = "" }: { message?: string | undefined }) => {
    const json = /^duration: [\d.]+ ms {2}plan:\s*(\{[\s\S]*\})$/.exec(message)?.[1];
    if (json) plans.push(JSON.parse(json));
  };
  client.on("notice", take);
  await client.query("begin");
  try {
    const { text, values } = become(claimsOf(lead, tenant));
    await client.query(text, values);
    await client.query(`select public.${verb}(input => $1, request => $2)`, [
      input,
      { operation: verb.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), request_id: "req_1" },
    ]);
  } finally {
    await client.query("rollback");
    client.off("notice", take);
  }
  return plans.filter((plan) => !plan["Query Text"].startsWith("select public."));
}
