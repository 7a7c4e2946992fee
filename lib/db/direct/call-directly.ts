import { createHash } from "node:crypto";
import { DatabaseError, escapeIdentifier } from "pg";
import { env } from "../../runtime/env.ts";
import { singleton } from "../../runtime/singleton.ts";
import type { Claims } from "../claims.ts";
import type { DatabaseResponse } from "../unwrap.ts";
import {
  type BoundStatement,
  PipelinedTransaction,
  type Statement,
} from "./pipelined-transaction.ts";
import { connect, type PoolKind } from "./pools.ts";
import { declaredTimeoutOf } from "./timeouts.ts";

/**
 * The hosted platform's statement timeouts for these roles. service_role has none there, so the
 * login role's 8 s apply.
 */
const STATEMENT_TIMEOUT: Record<Claims["role"], string> = {
  anon: "3s",
  authenticated: "8s",
  service_role: "8s",
};
/**
 * Longer than any statement may take, so after 15 s either the connection or the database is dead.
 */
const TIMEOUT_MS = 15_000;

const SET_CLAIMS = statementOf(
  "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true), " +
    "set_config('statement_timeout', $3, true)",
);

/**
 * A pooler in transaction mode returns these errors for a statement prepared on another connection.
 * After the first, statements are no longer prepared.
 */
const STATEMENT_UNKNOWN = "26000";
const STATEMENT_EXISTS = "42P05";
/**
 * Errors of a replica that the primary can answer instead: no connection, a shutdown or start, a
 * write, or a query cancelled because replication removes its rows.
 */
const REPLICA_FAILURE = /^(?:08|53|57P|58|25006|40001)/;
const CONFLICT = "40001";
/** How long a failed replica is not asked again. */
const REPLICA_RETRY_MS = 30_000;
const replicaOutage = () => singleton("replica", () => ({ until: 0 }));
const naming = () => singleton("statement-naming", () => ({ on: true }));

/**
 * Sets role and claims for the transaction only, as PostgREST does:
 * https://docs.postgrest.org/en/stable/references/transactions.html
 */
export function setRoleStatement(
  claims: Claims,
  timeout = STATEMENT_TIMEOUT[claims.role],
): BoundStatement {
  return { ...SET_CLAIMS, values: [claims.role, JSON.stringify(claims), timeout] };
}

/**
 * `mayLag`: whether a read replica may answer, which is slightly behind. `takesLong`: whether other
 * calls go first in the database.
 */
export type CallOptions = { mayLag?: boolean; takesLong?: boolean };

/** Calls a function of `public` on a direct connection, in one round trip and one transaction. */
export async function callDirectly(
  claims: Claims,
  name: string,
  args: object,
  { mayLag, takesLong }: CallOptions = {},
): Promise<DatabaseResponse> {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  const names = entries.map(([argument]) => argument);
  const call = { ...callOf(name, names), values: entries.map(([, value]) => toParameter(value)) };
  try {
    const statements = [setRoleStatement(claims, await declaredTimeoutOf(name)), call];
    const ofTenants = takesLong ? "long" : "tenants";
    const answer = await (mayLag
      ? runOnReplica(statements, ofTenants)
      : run(claims.role === "service_role" ? "service" : ofTenants, statements));
    return { data: answer ? JSON.parse(answer) : null, error: null, status: 200 };
  } catch (error) {
    return refusal(error);
  }
}

/**
 * Falls back to the primary if there is no replica, it is unreachable, or it can't answer this
 * call.
 */
async function runOnReplica(
  statements: BoundStatement[],
  otherwise: PoolKind,
): Promise<string | null> {
  const replica = replicaOutage();
  if (!env().REPLICA_DATABASE_URL || performance.now() < replica.until)
    return run(otherwise, statements);
  try {
    return await run("replica", statements);
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code !== undefined && !REPLICA_FAILURE.test(code)) throw error;
    if (code !== CONFLICT) replica.until = performance.now() + REPLICA_RETRY_MS;
    return run(otherwise, statements);
  }
}

async function run(kind: PoolKind, statements: BoundStatement[]): Promise<string | null> {
  const prepare = naming().on;
  try {
    return await runOn(kind, statements, prepare);
  } catch (error) {
    const { code } = error as DatabaseError;
    if (!prepare || (code !== STATEMENT_UNKNOWN && code !== STATEMENT_EXISTS)) throw error;
    naming().on = false;
    return runOn(kind, statements, false);
  }
}

async function runOn(
  kind: PoolKind,
  statements: BoundStatement[],
  prepare: boolean,
): Promise<string | null> {
  const client = await connect(kind);
  let lost = false;
  let released = false;
  const release = () => {
    if (!released) client.release(lost);
    released = true;
  };
  const deadline = setTimeout(() => {
    lost = true;
    release();
  }, TIMEOUT_MS);
  try {
    return await client.query(new PipelinedTransaction(statements, { prepare })).result;
  } catch (error) {
    lost = !(error instanceof DatabaseError) || error.severity !== "ERROR";
    throw error;
  } finally {
    clearTimeout(deadline);
    release();
  }
}

const calls = new Map<string, Statement>();

/** Arguments are passed by name, so their order in the function doesn't matter. */
function callOf(name: string, args: string[]): Statement {
  const signature = `${name}(${args})`;
  const cached = calls.get(signature);
  if (cached) return cached;
  const list = args.map((argument, index) => `${escapeIdentifier(argument)} => $${index + 1}`);
  // to_json converts any result to the JSON that the Data API would return.
  const statement = statementOf(
    `select to_json(public.${escapeIdentifier(name)}(${list.join(", ")}))`,
  );
  calls.set(signature, statement);
  return statement;
}

function statementOf(text: string): Statement {
  return { name: createHash("sha256").update(text).digest("hex").slice(0, 32), text };
}

function toParameter(value: unknown): string | null {
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}

/** The error in PostgREST's form. Status 0 means that no response came. */
function refusal(error: unknown): DatabaseResponse {
  const { message } = error as Error;
  if (!(error instanceof DatabaseError)) return { data: null, error: { message }, status: 0 };
  return {
    data: null,
    error: { code: error.code, message, details: error.detail, hint: error.hint },
    status: 500,
  };
}
