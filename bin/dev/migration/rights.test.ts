import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schemaSql } from "./schemas.ts";

// Functions with their owner's rights bypass every policy, so this test checks in the schema's text
// that they separate tenants. A request reaches functions that call begin_request or begin_write,
// functions that those call, and triggers.

type Routine = {
  name: string;
  parameters: string;
  isDefiner: boolean;
  isTrigger: boolean;
  body: string;
};

/** Statements that name no tenant: the function, a part of the statement, and why it is safe. */
const EXCEPTIONS: [name: string, part: string, why: string][] = [
  [
    "private.reduce_open_amounts",
    "open_line.ctid = any (places.whole)",
    "places that find_open_amounts has just found by the tenant, of a locked pair",
  ],
  ["private.reduce_open_amounts", "open_line.ctid = reduced.place", "the same"],
  ["private.find_lines_of_caller", "line_text.tenant_id || ''", "the text for %s names the tenant"],
];

const schema = schemaSql().replace(/--.*$/gm, "");
const FUNCTION =
  /create function ((?:public|private)\.\w+)(\([^$]*?)(?:\$\$(.*?)\$\$|\nreturn (.*?);\n)/gs;
const routines = [...schema.matchAll(FUNCTION)].map(
  ([, name = "", head = "", block, expression]): Routine => {
    const body = block ?? expression ?? "";
    return {
      name,
      parameters: head,
      isDefiner: head.includes("security definer"),
      isTrigger: head.includes("returns trigger"),
      body,
    };
  },
);
const verbs = routines.filter(
  ({ name, body }) => name.startsWith("public.") && /private\.begin_(?:request|write)\(/.test(body),
);
const tables = new Set(
  [...schema.matchAll(/create table ((?:public|private)\.\w+) \((.*?)\n\)/gs)].flatMap(
    ([, name = "", columns = ""]) => (/^\s*tenant_id /m.test(columns) ? [name] : []),
  ),
);

/** The functions that these texts call, directly or through functions that `isFollowed` accepts. */
function called(texts: string[], isFollowed: (routine: Routine) => boolean): Set<Routine> {
  const found = new Set<Routine>();
  const read = (text: string) => {
    const names = new Set(
      [...text.matchAll(/\b((?:public|private)\.\w+)\s*\(/g)].map(([, name]) => name),
    );
    for (const routine of routines) {
      if (!names.has(routine.name) || found.has(routine)) continue;
      found.add(routine);
      if (isFollowed(routine)) read(routine.body);
    }
  };
  texts.forEach(read);
  return found;
}

/**
 * A table and the alias that the statement gives it. A new row's tenant defaults to the caller's,
 * and no foreign key crosses tenants.
 */
const NO_NAME =
  "(?!(?:where|set|on|using|order|cross|join|left|limit|for|into|union|group|returning)\\b)";
const TABLE = new RegExp(
  `\\b(?:from|join|update|using)\\s+((?:public|private)\\.\\w+)\\b(?!\\s*\\()(?:\\s+(?:as\\s+)?${NO_NAME}(\\w+))?`,
  "g",
);
/** A row is bound by its tenant, or by the chain of its events, which has the tenant's ID. */
const EQUAL = /\b(?:(\w+)\.)?(?:tenant_id|chain)\s*(?:=|in)\s*(?:(\w+)\.(?:tenant_id|chain)\b|\S)/g;

/** The name by which a statement qualifies a table without an alias; "" if it does not. */
function implicitAlias(table: string, statement: string): string {
  const name = table.split(".")[1] ?? "";
  return new RegExp(`(?<!\\.)\\b${name}\\.\\w`).test(statement) ? name : "";
}

/**
 * The tables of a statement that no condition binds to the tenant, by alias. `around` is the text
 * that may contain the conditions.
 */
function unbound(statement: string, around: string): string[] {
  const names = [...statement.matchAll(TABLE)].flatMap(([, table = "", name = ""]) =>
    tables.has(table) ? [name || implicitAlias(table, statement)] : [],
  );
  const equal = [...around.matchAll(EQUAL)].map(([, name = "", other]) => [name, other] as const);
  // Bound by an expression that is not a column, or by a column of a table that is bound itself.
  const bound = new Set<string>();
  const isTenant = (name: string | undefined) =>
    name === undefined || !names.includes(name) || bound.has(name);
  for (let before = -1; before < bound.size; ) {
    before = bound.size;
    for (const [name, other] of equal) {
      if (isTenant(other)) bound.add(name);
      if (other !== undefined && isTenant(name)) bound.add(other);
    }
  }
  // An alias that is used for several tables must be bound once for each.
  const times = (name: string) => equal.filter((sides) => sides.includes(name)).length;
  return names.filter(
    (name) => !bound.has(name) || times(name) < names.filter((item) => item === name).length,
  );
}

test("every statement that a request reaches binds each table's rows to the tenant", () => {
  const bodies = verbs.map(({ body }) => body);
  const reached = new Set([
    ...verbs,
    ...called(bodies, () => true),
    ...routines.filter(({ isTrigger }) => isTrigger),
  ]);
  expect(reached.size).toBeGreaterThan(verbs.length * 3);
  expect(crossings(reached)).toEqual([]);
});

// What ops/citus/distribute.sql sends to the shard of its first argument. A table that is bound to
// the same tenant as the others of its statement is joined within the shard.
test("every statement of a job for one tenant joins tables by the tenant", () => {
  const jobs = routines.filter(({ parameters }) =>
    /^\(\s*(?:tenant|tenant_id) text\b/.test(parameters),
  );
  const reached = new Set([
    ...jobs,
    ...called(
      jobs.map(({ body }) => body),
      () => true,
    ),
  ]);
  expect(jobs.length).toBeGreaterThan(100);
  expect(crossings(reached)).toEqual([]);
});

// SQL stands in texts between quotes, and nothing else in these files looks like it.
test("every statement in TypeScript binds each table's rows to the tenant", () => {
  const root = join(import.meta.dirname, "../../..");
  const files = globSync("{app,components,lib,server,supervisor,worker}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: ["**/*.test.ts", "**/*.test.tsx"],
  });
  const statements = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split(/[`"]/)
      .map((text) => ({ file, text, names: unbound(text, text) })),
  );
  expect(statements.filter(({ text }) => text.match(TABLE)).length).toBeGreaterThan(3);
  expect(
    statements.flatMap(({ file, text, names }) =>
      names.length > 0 ? [`${file} reads ${names.join(", ")} of every tenant: ${text.trim()}`] : [],
    ),
  ).toEqual([]);
});

test("every exempt statement still exists, and still names no tenant", () => {
  expect(routines).toHaveLength(schema.match(/create function/g)?.length ?? 0);
  const unused = EXCEPTIONS.filter(
    ([where, part]) =>
      !routines.some(({ name, body }) => name === where && crossesTenants(body, part)),
  );
  expect(unused).toEqual([]);
});

const statementsOf = (body: string) => body.split(/;\s*\n/);

/** The unbound tables of a statement. A formatted one may be bound anywhere in its function. */
const unboundIn = (statement: string, body: string) =>
  unbound(statement, /%(\d\$)?s/.test(statement) ? body : statement);

const crossesTenants = (body: string, part: string) =>
  statementsOf(body).some(
    (statement) => statement.includes(part) && unboundIn(statement, body).length > 0,
  );

/** A sentence for each statement of these functions that reads rows of every tenant. */
function crossings(reached: ReadonlySet<Routine>): string[] {
  return [...reached].flatMap(({ name, body }) =>
    statementsOf(body).flatMap((statement) => {
      const names = unboundIn(statement, body);
      const isExcepted = EXCEPTIONS.some(
        ([where, part]) => where === name && statement.includes(part),
      );
      return names.length > 0 && !isExcepted
        ? [`${name} reads ${names.join(", ")} of every tenant: ${statement.trim()}`]
        : [];
    }),
  );
}

test("callers execute only inner functions that policies or their verbs call", () => {
  const policies = [...schema.matchAll(/create policy .*?;/gs)].map(([policy]) => policy);
  const invokerBodies = verbs.filter(({ isDefiner }) => !isDefiner).map(({ body }) => body);
  const needed = new Set(
    [...called([...policies, ...invokerBodies], ({ isDefiner }) => !isDefiner)].map(
      ({ name }) => name,
    ),
  );
  const granted = [...schema.matchAll(/grant execute on function([^;]*?)\bto ([\w, ]+);/g)].flatMap(
    ([, list = "", roles = ""]) =>
      /\b(anon|authenticated)\b/.test(roles)
        ? [...list.replace(/\(.*?\)/gs, "").matchAll(/private\.\w+/g)].map(([name]) => name)
        : [],
  );
  expect(granted.length).toBeGreaterThan(100);
  expect(granted.filter((name) => !needed.has(name))).toEqual([]);
});
