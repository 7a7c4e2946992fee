import type { Principal } from "../auth/principal.ts";
import { env } from "../runtime/env.ts";
import { type Claims, claimsOf, SERVICE_CLAIMS } from "./claims.ts";
import { type CallOptions, callDirectly } from "./direct/call-directly.ts";
import { callOverHttp } from "./http-transport.ts";
import type { Database } from "./types.gen.ts";
import type { DatabaseResponse } from "./unwrap.ts";

export type Functions = Database["public"]["Functions"];
export type FunctionName = keyof Functions;

/** The database as one caller sees it: the functions of `public` and nothing else. */
export type Db = {
  rpc<Name extends FunctionName>(name: Name, ...args: Arguments<Name>): Promise<DatabaseResponse>;
};

type Arguments<Name extends FunctionName> =
  Functions[Name]["Args"] extends Record<PropertyKey, never>
    ? []
    : [args: Functions[Name]["Args"], options?: CallOptions];

/** Calls functions as one principal in one tenant; row-level security checks the claims again. */
export function dbFor(principal: Principal, tenantId: string): Db {
  return client(claimsOf(principal, tenantId));
}

/** Calls functions across tenants. `_reason` documents at the call why that is justified. */
export function serviceDb(_reason: string): Db {
  return client(SERVICE_CLAIMS);
}

/** Connects to Postgres directly if REQUEST_DATABASE_URL is set, else by the project's Data API. */
function client(claims: Claims): Db {
  const call = env().REQUEST_DATABASE_URL ? callDirectly : callOverHttp;
  return { rpc: (name, args = {}, options = {}) => call(claims, name, args, options) };
}
