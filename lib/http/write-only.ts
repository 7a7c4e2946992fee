import type { Principal } from "../auth/principal.ts";
import { readScopeOf } from "../wire/access.ts";
import type { Contract } from "../wire/contract.ts";
import { ApiError } from "../wire/errors.ts";

export function lacksReadScope({ type, scopes }: Principal, { access }: Contract): boolean {
  const scope = readScopeOf(access);
  return type === "api_key" && scope !== null && !scopes.includes(scope);
}

/**
 * A preview shows what it would change and a filter counts what it matches, so both need the read
 * scope. @throws ApiError `scope_required`
 */
export function requireReadScope(principal: Principal, contract: Contract): void {
  if (!lacksReadScope(principal, contract)) return;
  throw new ApiError(
    "scope_required",
    "A preview or a filter shows what it finds: it also requires the scope " +
      `${readScopeOf(contract.access)}.`,
  );
}
