import type { Contract } from "#lib/wire/contract.ts";

/**
 * Generates `lib/api-keys/operation-scopes.gen.ts`: the scope that a key needs for each operation.
 */
export function operationScopes(contracts: readonly Contract[]): string {
  const lines = contracts
    .flatMap(({ operationId, access }) =>
      access.scope ? [`  ${operationId}: "${access.scope}",`] : [],
    )
    .sort();
  return [
    "/** Written by `npm run generate` from the contracts: the scope that an operation needs. */",
    'import type { Scope } from "../wire/access.ts";',
    "",
    "export const OPERATION_SCOPES: Partial<Record<string, Scope>> = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}
