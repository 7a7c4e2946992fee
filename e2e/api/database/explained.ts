/**
 * What the database reads for a verb: the plans of all statements that its function ran, including
 * nested ones.
 */
import { Client } from "pg";
import { superuserUrl } from "#e2e/fixtures.ts";
import type { Principal } from "#lib/auth/principal.ts";
import { claimsOf } from "#lib/db/claims.ts";
import { setRoleStatement } from "#lib/db/direct/call-directly.ts";

type Node = {
  "Node Type": string;
  "Relation Name"?: string;
  Schema?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Index Cond"?: string;
  "Recheck Cond"?: string;
  Filter?: string;
  "Hash Cond"?: string;
  "Merge Cond"?: string;
  "Join Filter"?: string;
  Plans?: Node[];
};
type Explained = { "Query Text": string; Plan: Node };

const SETTINGS = {
  log_min_duration: 0,
  log_nested_statements: "on",
  log_analyze: "on",
  log_verbose: "on",
  log_format: "json",
  log_level: "notice",
  log_timing: "off",
};

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

/** The columns that separate tenants: the tenant's ID, or the chain of its events. */
const TENANT_COLUMN = /\b(?:tenant_id|chain)\b/;

export class Explainer {
  private readonly client = new Client({ connectionString: superuserUrl() });
  private readonly big: RegExp;

  private readonly settings: Record<string, string>;

  /** `big` matches the tables that must not be scanned. `settings` are those of the planner. */
  constructor(big: RegExp, settings: Record<string, string> = {}) {
    this.big = big;
    this.settings = settings;
  }

  async open(): Promise<void> {
    await this.client.connect();
    await this.client.query("load 'auto_explain'");
    for (const [name, value] of Object.entries(SETTINGS))
      await this.client.query(`set auto_explain.${name} = '${value}'`);
    for (const [name, value] of Object.entries(this.settings))
      await this.client.query(`set ${name} = '${value}'`);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /**
   * One sentence for each node that reads more than `max` rows or scans a big table. The call runs as
   * a user with every role and is rolled back.
   */
  async excessiveReads(
    tenant: string,
    verb: string,
    input: object,
    max: number,
  ): Promise<string[]> {
    const plans = await this.plansOf(tenant, verb, input);
    if (plans.length === 0) throw new Error(`${verb} has no plans.`);
    const nodes = plans.flatMap((plan) =>
      nodesOf(plan.Plan).map((node) => ({ ...node, query: plan["Query Text"] })),
    );
    return nodes
      .filter(
        (node) =>
          rowsOf(node) > max ||
          (node["Node Type"] === "Seq Scan" && this.big.test(node["Relation Name"] ?? "")),
      )
      .map((node) => `${node["Node Type"]} of ${rowsOf(node)} rows for ${node.query}`);
  }

  /** The number of statements that ran, including those inside functions. */
  async countStatements(tenant: string, verb: string, input: object): Promise<number> {
    return (await this.plansOf(tenant, verb, input)).length;
  }

  /** One sentence for each node that reads or joins a tenant's table without using the tenant. */
  async acrossTenants(tenant: string, verb: string, input: object): Promise<string[]> {
    const { rows } = await this.client.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid
       where n.nspname in ('public', 'private', 'partitions')
         and a.attname in ('tenant_id', 'chain')`,
    );
    const tenants = new Set(rows.map(({ name }) => name));
    const plans = await this.plansOf(tenant, verb, input);
    if (plans.length === 0) throw new Error(`${verb} has no plans.`);
    const untenanted = (node: Node): Node[] => {
      // Below a join by tenant, the planner may read all of a small table.
      if (isByTenant(node["Hash Cond"], node["Merge Cond"], node["Join Filter"])) return [];
      const isTenants =
        node["Node Type"] !== "ModifyTable" &&
        tenants.has(`${node.Schema}.${node["Relation Name"]}`);
      const own =
        isTenants && !isByTenant(node["Index Cond"], node["Recheck Cond"], node.Filter)
          ? [node]
          : [];
      return [...own, ...(node.Plans ?? []).flatMap(untenanted)];
    };
    return plans.flatMap((plan) =>
      untenanted(plan.Plan).map(
        (node) =>
          `${node["Node Type"]} of ${node.Schema}.${node["Relation Name"]} for ${plan["Query Text"]}`,
      ),
    );
  }

  private async plansOf(tenant: string, verb: string, input: object): Promise<Explained[]> {
    const plans: Explained[] = [];
    const collect = ({ message = "" }: { message?: string | undefined }) => {
      const json = /^duration: [\d.]+ ms {2}plan:\s*(\{[\s\S]*\})$/.exec(message)?.[1];
      if (json) plans.push(JSON.parse(json));
    };
    this.client.on("notice", collect);
    await this.client.query("begin");
    try {
      const { text, values } = setRoleStatement(claimsOf(lead, tenant));
      await this.client.query(text, values);
      await this.client.query(`select public.${verb}(input => $1, request => $2)`, [
        input,
        {
          operation: verb.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
          request_id: "req_1",
        },
      ]);
    } finally {
      await this.client.query("rollback");
      this.client.off("notice", collect);
    }
    return plans.filter((plan) => !plan["Query Text"].startsWith("select public."));
  }
}

function isByTenant(...conditions: (string | undefined)[]): boolean {
  return conditions.some((condition = "") => TENANT_COLUMN.test(condition));
}

/** The number of rows that a node read. */
function rowsOf(node: Node): number {
  const passed =
    (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
  return Math.max(
    passed,
    ...(node.Plans ?? []).map((child) => child["Actual Rows"] * child["Actual Loops"]),
  );
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
