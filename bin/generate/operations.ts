import { type Access, ROLES } from "#lib/access.ts";
import type { Contract } from "#lib/contract.ts";

const HEADER = `-- Written by \`npm run generate\` from lib/access.ts and the contracts: who may do what, which function serves which operation of /v1,
-- and who may call it at the Data API at all.`;

/** The rows of private.permissions and private.operations, and the grants on the functions that serve /v1. */
export function operationsSql(contracts: readonly Contract[]): string {
  const permissions = uniquePermissions(contracts);
  const served = contracts.flatMap(({ operationId, functions, access }) => functions.map((name) => ({ name, operationId, access })));
  const callable = (by: (access: Access) => boolean) => unique(served.filter(({ access }) => by(access)).map(({ name }) => name));
  return `${[
    HEADER,
    `create function private.roles() returns text[]
language sql immutable set search_path = ''
return ${array(ROLES)}::text[];`,
    insert(
      "private.permissions (permission, principals, roles, scope)",
      permissions.map(({ permission, roles, scope, ...access }) => [
        text(permission),
        array(principalsOf({ permission, roles, scope, ...access })),
        roles === "any" ? "null" : array(roles),
        scope === null ? "null" : text(scope),
      ]),
    ),
    insert(
      "private.operations (verb, operation, permission)",
      served.map(({ name, operationId, access }) => [text(name), text(operationId), text(access.permission)]),
    ),
    grant(
      callable(() => true),
      "authenticated",
    ),
    grant(
      callable(({ publishable }) => publishable),
      "anon",
    ),
  ].join("\n\n")}\n`;
}

/** @throws Error where one permission means two things. */
function uniquePermissions(contracts: readonly Contract[]): Access[] {
  const known = new Map<string, Access>();
  for (const { operationId, access } of contracts) {
    const same = known.get(access.permission) ?? access;
    if (JSON.stringify(same) !== JSON.stringify(access)) throw new Error(`${operationId} means something else by ${access.permission}.`);
    known.set(access.permission, access);
  }
  return [...known.values()].sort((a, b) => (a.permission < b.permission ? -1 : 1));
}

function principalsOf({ roles, scope, service, publishable }: Access): string[] {
  return [
    "user",
    ...(scope !== null || roles === "any" ? ["api_key"] : []),
    ...(service ? ["service_role"] : []),
    ...(publishable ? ["publishable_key"] : []),
  ];
}

function insert(into: string, rows: string[][]): string {
  return `insert into ${into} values\n${rows.map((row) => `  (${row.join(", ")})`).join(",\n")};`;
}

function grant(names: string[], role: string): string {
  return `grant execute on function\n${names.map((name) => `  public.${name}(jsonb, jsonb)`).join(",\n")}\nto ${role};`;
}

function unique(names: string[]): string[] {
  return [...new Set(names)].sort();
}

function array(values: readonly string[]): string {
  return text(`{${values.join(",")}}`);
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
