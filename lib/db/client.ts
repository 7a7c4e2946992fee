import type { Principal } from "../auth/principal.ts";
import { env } from "../runtime/env.ts";
import { type Claims, claimsOf, SERVICE_CLAIMS } from "./claims.ts";
import { callDirectly, type How } from "./direct/call-directly.ts";
import { callOverHttp } from "./http-transport.ts";
import type { Database } from "./types.gen.ts";
import type { DatabaseAnswer } from "./unwrap.ts";

export type Functions = Database["public"]["Functions"];
export type FunctionName = keyof Functions;

/** The database as one caller sees it: the functions of `public`, and nothing else. */
export type Db = {
  rpc<Name extends FunctionName>(name: Name, ...args: Arguments<Name>): Promise<DatabaseAnswer>;
};

type Arguments<Name extends FunctionName> =
  Functions[Name]["Args"] extends Record<PropertyKey, never>
    ? []
    : [args: Functions[Name]["Args"], how?: How];

/** For one principal and one tenant; row-level security decides again by its claims. */
export function dbFor(principal: Principal, tenantId: string): Db {
  return client(claimsOf(principal, tenantId));
}

/** Across tenants. `why` says what justifies it. */
export function serviceDb(_why: string): Db {
  return client(SERVICE_CLAIMS);
}

/** Straight to Postgres where a URL for it is given, else by the project's Data API. */
function client(claims: Claims): Db {
  const call = env().REQUEST_DATABASE_URL ? callDirectly : callOverHttp;
  return { rpc: (name, args = {}, how = {}) => call(claims, name, args, how) };
}
