import { EVENTS } from "#lib/events/contract.ts";
import { type Access, needs, ROLES } from "#lib/wire/access.ts";
import type { Contract } from "#lib/wire/contract.ts";

const HEADER = `-- Written by \`npm run generate\` from lib/wire/access.ts and the contracts: who may do what, which function serves which operation of /v1,
-- who may call it at the Data API at all, and what one needs to read an event.`;

/**
 * Generates the roles, the rows of private.permissions, private.operations and private.event_kinds,
 * and the grants on the functions that serve /v1.
 */
export function operationsSql(contracts: readonly Contract[]): string {
  const callable = (by: (access: Access) => boolean) =>
    [
      ...new Set(
        contracts.filter(({ access }) => by(access)).flatMap(({ functions }) => functions),
      ),
    ].sort();
  return `${[
    HEADER,
    `create function private.roles() returns text[]
language sql immutable set search_path = ''
return ${array(ROLES)}::text[];`,
    operationRows(contracts),
    insert(
      "private.event_kinds (kind, permission)",
      Object.entries(EVENTS).map(([kind, { reads }]) => [
        text(kind),
        text(needs(reads).permission),
      ]),
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

/** The rows that the permission and operation tables need for these contracts. */
export function operationRows(contracts: readonly Contract[]): string {
  const permissions = uniquePermissions(contracts).map((access) => [
    text(access.permission),
    array(principalsOf(access)),
    access.roles === "any" ? "null" : array(access.roles),
    access.scope === null ? "null" : text(access.scope),
  ]);
  const operations = contracts.flatMap(({ operationId, functions, access }) =>
    functions.map((name) => [text(name), text(operationId), text(access.permission)]),
  );
  return [
    insert("private.permissions (permission, principals, roles, scope)", permissions),
    insert("private.operations (verb, operation, permission)", operations),
  ].join("\n\n");
}

/** @throws Error if one permission has two meanings. */
function uniquePermissions(contracts: readonly Contract[]): Access[] {
  const byName = new Map<string, Access>();
  for (const { operationId, access } of contracts) {
    const existing = byName.get(access.permission) ?? access;
    if (JSON.stringify(existing) !== JSON.stringify(access))
      throw new Error(`${operationId} means something else by ${access.permission}.`);
    byName.set(access.permission, access);
  }
  return [...byName.values()].sort((a, b) => (a.permission < b.permission ? -1 : 1));
}

function principalsOf({ scope, anyKey, service, publishable }: Access): string[] {
  return [
    "user",
    ...(scope !== null || anyKey ? ["api_key"] : []),
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

function array(values: readonly string[]): string {
  return text(`{${values.join(",")}}`);
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
