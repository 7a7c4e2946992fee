import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { SCOPES } from "../wire/scopes.ts";
import type { ApiKey } from "./contract.ts";
import { OPERATION_SCOPES } from "./operation-scopes.gen.ts";

const UNUSED_AFTER_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * A key as the database returns it, with the operations of the last 30 days, from which the unused
 * scopes follow.
 */
export type StoredApiKey = Omit<ApiKey, "unused_scopes"> & {
  operations_used: string[];
  as_of: string;
};

export function apiKeyOf(ctx: Context, stored: StoredApiKey): ApiKey {
  return withUnusedScopes(tagged(ctx, stored));
}

export function withUnusedScopes(stored: StoredApiKey): ApiKey {
  const used = new Set(stored.operations_used.map((operation) => OPERATION_SCOPES[operation]));
  const isOld = Date.parse(stored.as_of) - Date.parse(stored.created_at) > UNUSED_AFTER_MS;
  return {
    ...stored,
    unused_scopes: isOld
      ? SCOPES.filter((scope) => stored.scopes.includes(scope) && !used.has(scope))
      : [],
  };
}
