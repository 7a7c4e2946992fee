/**
 * A tenant in a new database, and the work of matchers on it: imports, opening and runs, by the
 * matcher's own functions.
 */
import type { JobHelpers } from "graphile-worker";
import type { Client } from "pg";
import { claimsOf } from "#lib/db/claims.ts";
import { setRoleStatement } from "#lib/db/direct/call-directly.ts";
import type { Mapping } from "#lib/imports/formats/mapping.ts";
import { readImport } from "../worker/matcher/imports/read-import.ts";
import { doRun } from "../worker/matcher/runs/do-run.ts";
import { preparePair } from "../worker/matcher/tasks/prepare-pair.ts";
import { withConnections } from "../worker/matcher/tasks/with-connections.ts";

const MAPPING: Mapping = {
  fields: {
    value_date: "day",
    amount: "amount",
    reference: "reference",
    counterparty: "name",
    description: "text",
  },
  date_format: "YYYY-MM-DD",
  decimal_separator: ".",
  delimiter: ";",
};
const HEAD = "day;amount;reference;name;text\n";
const CHUNK_BYTES = 1 << 20;

export type FileLine = {
  day: string;
  amount_minor: number;
  reference?: string;
  counterparty?: string;
  description?: string;
};

/**
 * The result of a run. `statements` are all statements of its main connection, in order, with their
 * durations.
 */
export type RunReport = {
  id: string;
  status: string;
  failure: string | null;
  suggested_count: string;
  open_count: string;
  exceptions_held_back: number;
  changed: { added: number; kept: number; replaced: number; undone: number };
  seconds: number;
  statements: { statement: string; ms: number }[];
};

export class FreshTenant {
  readonly id: string;
  private readonly url: string;
  private readonly client: Client;

  private constructor(id: string, url: string, client: Client) {
    this.id = id;
    this.url = url;
    this.client = client;
  }

  static async create(id: string, url: string, client: Client): Promise<FreshTenant> {
    await client.query("select private.create_tenant($1, $1)", [id]);
    return new FreshTenant(id, url, client);
  }

  async source(name: string): Promise<string> {
    return (
      await this.call("create_source", "createSource", { name, kind: "ledger", currency: "EUR" })
    ).id;
  }

  async bind(
    left_source_id: string,
    right_source_id: string,
    fields: object = {},
  ): Promise<string> {
    const period = {
      name: "March",
      period_start: "2026-03-01",
      period_end: "2026-04-30",
      auto_run: false,
    };
    const input = { ...period, left_source_id, right_source_id, ...fields };
    return (await this.call("create_reconciliation", "createReconciliation", input)).id;
  }

  /**
   * Imports a file of these lines, in one transaction and with its follow-up work. @returns seconds
   */
  async import(source: string, lines: readonly FileLine[]): Promise<number> {
    const file = Buffer.from(HEAD + lines.map(rowOf).join(""));
    const { rows } = await this.client.query<{ id: string }>(
      `insert into public.imports (tenant_id, source_no, status, format, mapping, bytes_total,
         created_by)
       select tenant_id, source_no, 'queued', 'csv', $3, $4, 'test' from public.sources
       where tenant_id = $1 and id = $2 returning id`,
      [this.id, source, MAPPING, file.length],
    );
    const key = { tenant_id: this.id, import_id: rows[0]?.id as string };
    for (let seq = 0; seq * CHUNK_BYTES < file.length; seq++)
      await this.client.query(
        `insert into private.import_chunks (tenant_id, import_id, seq, bytes)
         values ($1, $2, $3, $4)`,
        [...Object.values(key), seq, file.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES)],
      );
    const startedAt = performance.now();
    await withConnections(this.url, { name: "import", requestId: null }, (main, side) =>
      readImport(main, side, key, undefined),
    );
    return (performance.now() - startedAt) / 1000;
  }

  /** Opens the lines that existed before the pair. @returns seconds */
  async prepare(): Promise<number> {
    const startedAt = performance.now();
    const { rows } = await this.client.query<{ pair_no: number }>(
      "select pair_no from public.pairs where tenant_id = $1 and opening is not null",
      [this.id],
    );
    const query = (text: string, values: unknown[]) => this.client.query(text, values);
    for (const { pair_no } of rows)
      await preparePair({ tenant_id: this.id, pair_no }, { query } as unknown as JobHelpers);
    return (performance.now() - startedAt) / 1000;
  }

  async run(period: string): Promise<RunReport> {
    const startedAt = performance.now();
    const statements: RunReport["statements"] = [];
    let id = "";
    await withConnections(this.url, { name: "run", requestId: null }, async (main, side) => {
      recordStatements(main, statements);
      await doRun(
        main,
        side,
        { tenant_id: this.id, reconciliation_id: period, run_id: null },
        (run) => {
          id = run.runId;
        },
      );
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const { rows } = await this.client.query<Omit<RunReport, "statements" | "seconds">>(
      `select id, status, failure, suggested_count, open_count, exceptions_held_back,
         changed from public.runs
       where tenant_id = $1 and id = $2`,
      [this.id, id],
    );
    return { ...(rows[0] as Omit<RunReport, "statements" | "seconds">), seconds, statements };
  }

  /** As an admin of the tenant. */
  async call(verb: string, operation: string, input: object): Promise<{ id: string }> {
    const roles = ["tenant_admin" as const];
    const ada = {
      type: "user" as const,
      issuer: "",
      sessionId: null,
      id: "ada",
      lineageId: "ada",
      name: "ada",
      roles,
      scopes: [],
    };
    await this.client.query("begin");
    try {
      const { text, values } = setRoleStatement(claimsOf(ada, this.id));
      await this.client.query(text, values);
      const { rows } = await this.client.query<{ made: { body: { id: string } } }>(
        `select public.${verb}(input => $1, request => $2) as made`,
        [input, { operation, request_id: "req_1" }],
      );
      await this.client.query("commit");
      return rows[0]?.made.body as { id: string };
    } catch (error) {
      await this.client.query("rollback");
      throw error;
    }
  }
}

function rowOf({
  day,
  amount_minor,
  reference = "",
  counterparty = "",
  description = "",
}: FileLine): string {
  const digits = String(Math.abs(amount_minor)).padStart(3, "0");
  return `${day};${amount_minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)};${reference};${counterparty};${description}\n`;
}

/** Records statements; a COPY stream lasts until the next statement begins. */
function recordStatements(client: Client, statements: RunReport["statements"]): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  let startedAt = 0;
  const ends = () => {
    const last = statements.at(-1);
    if (last && Number.isNaN(last.ms)) last.ms = performance.now() - startedAt;
  };
  const timed = (first: unknown, ...others: unknown[]) => {
    ends();
    startedAt = performance.now();
    const text =
      typeof first === "string"
        ? first
        : (first as { text?: string; cursor?: { text: string } }).text;
    statements.push({ statement: (text ?? "copy").replace(/\s+/g, " "), ms: Number.NaN });
    const answer = query(first, ...others);
    if (answer instanceof Promise) answer.then(ends, ends);
    return answer;
  };
  Object.assign(client, { query: timed });
}
