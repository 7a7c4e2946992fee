/**
 * What the database reads for a verb: the plan of every statement that its function ran, those
 * inside it included.
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
const BY_TENANT = /\b(?:tenant_id|chain)\b/;

export class Explainer {
  private readonly client = new Client({ connectionString: superuserUrl() });
  private readonly big: RegExp;

  private readonly settings: Record<string, string>;

  /** `big`: names of tables that must not be scanned. `settings`: of the planner. */
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
   * Sentences for what reads more than `most` rows, or all of a big table, as the caller who may;
   * undone afterwards.
   */
  async tooMuch(tenant: string, verb: string, input: object, max: number): Promise<string[]> {
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

  /** How many statements ran, those inside functions included. */
  async countStatements(tenant: string, verb: string, input: object): Promise<number> {
    return (await this.plansOf(tenant, verb, input)).length;
  }

  /** Sentences for what reads a tenants' table, or joins it, by anything else than the tenant. */
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
    const strange = (node: Node): Node[] => {
      // The rows below a join by tenant are read for it: all of a small table.
      if (isByTenant(node["Hash Cond"], node["Merge Cond"], node["Join Filter"])) return [];
      const isTenants =
        node["Node Type"] !== "ModifyTable" &&
        tenants.has(`${node.Schema}.${node["Relation Name"]}`);
      const own =
        isTenants && !isByTenant(node["Index Cond"], node["Recheck Cond"], node.Filter)
          ? [node]
          : [];
      return [...own, ...(node.Plans ?? []).flatMap(strange)];
    };
    return plans.flatMap((plan) =>
      strange(plan.Plan).map(
        (node) =>
          `${node["Node Type"]} of ${node.Schema}.${node["Relation Name"]} for ${plan["Query Text"]}`,
      ),
    );
  }

  private async plansOf(tenant: string, verb: string, input: object): Promise<Explained[]> {
    const plans: Explained[] = [];
    const take = ({ message = "" }: { message?: string | undefined }) => {
      const json = /^duration: [\d.]+ ms {2}plan:\s*(\{[\s\S]*\})$/.exec(message)?.[1];
      if (json) plans.push(JSON.parse(json));
    };
    this.client.on("notice", take);
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
      this.client.off("notice", take);
    }
    return plans.filter((plan) => !plan["Query Text"].startsWith("select public."));
  }
}

function isByTenant(...conditions: (string | undefined)[]): boolean {
  return conditions.some((condition = "") => BY_TENANT.test(condition));
}

/** How many rows a node read. */
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
