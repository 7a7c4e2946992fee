import { createHash } from "node:crypto";
import { DatabaseError, escapeIdentifier } from "pg";
import { env } from "../../runtime/env.ts";
import { singleton } from "../../runtime/singleton.ts";
import type { Claims } from "../claims.ts";
import type { DatabaseAnswer } from "../unwrap.ts";
import { type Bound, PipelinedTransaction, type Statement } from "./pipelined-transaction.ts";
import { connect, type Kind } from "./pools.ts";
import { ownTimeoutOf } from "./timeouts.ts";

/** As on the hosted platform, which gives these roles these times; of a role with none, the login role's. */
const STATEMENT_TIMEOUT: Record<Claims["role"], string> = {
  anon: "3s",
  authenticated: "8s",
  service_role: "8s",
};
/** Longer than any statement may take: the connection is dead, or the database is. */
const TIMEOUT_MS = 15_000;

const BECOME = statementOf(
  "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true), set_config('statement_timeout', $3, true)",
);

/** A pooler in transaction mode answers so to a statement prepared on another connection: no more are prepared then. */
const NAME_UNKNOWN = "26000";
const NAME_TAKEN = "42P05";
/** Of a replica: no connection, being stopped or started, a write, or rows that it has to follow the database in removing. */
const CANT_ANSWER = /^(?:08|53|57P|58|25006|40001)/;
const CONFLICT = "40001";
/** It is not asked again for so long. */
const AWAY_MS = 30_000;
const away = () => singleton("replica", () => ({ until: 0 }));
const naming = () => singleton("statement-naming", () => ({ on: true }));

/** As PostgREST does it (https://docs.postgrest.org/en/stable/references/transactions.html): for the transaction and no longer. */
export function become(claims: Claims, timeout = STATEMENT_TIMEOUT[claims.role]): Bound {
  return { ...BECOME, values: [claims.role, JSON.stringify(claims), timeout] };
}

/** `mayLag`: a read replica, which is behind by a moment, may answer. */
export type How = { mayLag?: boolean };

/** Calls a function of `public` on a connection of our own: one round trip, one transaction. */
export async function callDirectly(
  claims: Claims,
  name: string,
  args: object,
  { mayLag }: How = {},
): Promise<DatabaseAnswer> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const names = given.map(([argument]) => argument);
  const call = { ...callOf(name, names), values: given.map(([, value]) => written(value)) };
  try {
    const statements = [become(claims, await ownTimeoutOf(name)), call];
    const answer = await (mayLag
      ? runOnReplica(statements)
      : run(claims.role === "service_role" ? "service" : "tenants", statements));
    return { data: answer ? JSON.parse(answer) : null, error: null, status: 200 };
  } catch (error) {
    return refusal(error);
  }
}

/** Where there is none, where it does not answer, and where it can't: on the database itself. */
async function runOnReplica(statements: Bound[]): Promise<string | null> {
  const replica = away();
  if (!env().REPLICA_DATABASE_URL || performance.now() < replica.until)
    return run("tenants", statements);
  try {
    return await run("replica", statements);
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code !== undefined && !CANT_ANSWER.test(code)) throw error;
    if (code !== CONFLICT) replica.until = performance.now() + AWAY_MS;
    return run("tenants", statements);
  }
}

async function run(kind: Kind, statements: Bound[]): Promise<string | null> {
  const prepare = naming().on;
  try {
    return await trip(kind, statements, prepare);
  } catch (error) {
    const { code } = error as DatabaseError;
    if (!prepare || (code !== NAME_UNKNOWN && code !== NAME_TAKEN)) throw error;
    naming().on = false;
    return trip(kind, statements, false);
  }
}

async function trip(kind: Kind, statements: Bound[], prepare: boolean): Promise<string | null> {
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

/** By names: the order of a function's arguments is its own affair. */
function callOf(name: string, args: string[]): Statement {
  const signature = `${name}(${args})`;
  const known = calls.get(signature);
  if (known) return known;
  const list = args.map((argument, index) => `${escapeIdentifier(argument)} => $${index + 1}`);
  // Whatever it returns, as the Data API would say it.
  const made = statementOf(`select to_json(public.${escapeIdentifier(name)}(${list.join(", ")}))`);
  calls.set(signature, made);
  return made;
}

function statementOf(text: string): Statement {
  return { name: createHash("sha256").update(text).digest("hex").slice(0, 32), text };
}

function written(value: unknown): string | null {
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}

/** In PostgREST's form. Status 0: no answer. */
function refusal(error: unknown): DatabaseAnswer {
  const { message } = error as Error;
  if (!(error instanceof DatabaseError)) return { data: null, error: { message }, status: 0 };
  return {
    data: null,
    error: { code: error.code, message, details: error.detail, hint: error.hint },
    status: 500,
  };
}
