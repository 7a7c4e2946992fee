import { expect, test } from "vitest";
import { columnsIn, functionsIn, nameFaults } from "./sql-names.ts";

const TABLES = `create table public.statements (
  tenant_id text not null,
  number integer not null,
  statement jsonb not null,
  primary key (tenant_id, number)
);
alter table public.statements add column digest text;
`;

function faults(sql: string): string[] {
  const columns = columnsIn([TABLES]);
  return functionsIn(sql)
    .flatMap((code) => nameFaults(code, columns))
    .map(({ rule, name }) => `${rule}: ${name}`);
}

function plpgsql(statements: string, head = "(tenant text) returns jsonb"): string {
  return `create function private.latest${head}
language plpgsql as $$
declare
  found_number bigint;
begin
  ${statements}
end $$;`;
}

test.each([
  ["a table", "perform private.json(statement) from public.statements statement;"],
  [
    "an inner query",
    "perform private.json(statement) from (select * from public.statements) statement;",
  ],
  ["an updated table", "update public.statements as statement set number = 1;"],
  [
    "a function's rows",
    "perform from public.statements, unnest(array(select 1)) with ordinality statement (item, place);",
  ],
])("the alias of %s must not be a column of the statement's tables", (_, sql) => {
  expect(faults(plpgsql(sql))).toEqual([
    "a column takes this name: statement of public.statements",
  ]);
});

test("columns that alter table adds count, too", () => {
  expect(faults(plpgsql("perform from public.statements join public.x digest on true;"))).toEqual([
    "a column takes this name: digest of public.statements",
  ]);
});

test("a parameter of a function of language sql must not be a column that it could mean", () => {
  const body = "select count(*) from public.statements where statements.number = number";
  const sql = `create function private.numbered(number integer) returns bigint
language sql stable as $$ ${body} $$;`;
  expect(faults(sql)).toEqual(["a column takes this name: number of public.statements"]);
  expect(faults(sql.replace("language sql", "language plpgsql"))).toEqual([]);
});

test("what qualifies a name must exist", () => {
  expect(faults(plpgsql("return old_latest.tenant;"))).toEqual([
    "nothing has this name: old_latest",
  ]);
});

test.each([
  ["the function's own name", "return latest.tenant;"],
  ["a parameter", "return tenant.id;"],
  ["a variable", "return found_number.id;"],
  ["a loop's variable", "for step in select 1 loop perform step.id; end loop;"],
  ["a table", "return (select statements.digest from public.statements);"],
  [
    "an inserted row",
    "insert into public.statements values (1) on conflict do update set number = excluded.number;",
  ],
  [
    "the table of an insert",
    "insert into private.counts as counter values (1) returning counter.id;",
  ],
  ["a deleted table", "delete from public.x row_of_x using public.y where row_of_x.id = y.id;"],
  ["an inner query", "merge into x using (select 1) given on given.id = 1;"],
  ["the second of two tables", "perform a.id, b.id from public.x a, lateral (select 1) b;"],
])("%s may qualify a name", (_, sql) => {
  expect(faults(plpgsql(sql))).toEqual([]);
});

test.each([
  ["texts", "return 'from public.statements statement' || $q$ x.y $q$;"],
  ["comments", "return 1; -- from public.statements statement, x.y"],
  ["fields of moments", "return extract(epoch from tenant.ends_at) is distinct from 1.5;"],
  [
    "another statement's tables",
    "perform from public.statements; perform from public.x statement;",
  ],
])("%s are not read as names", (_, sql) => {
  expect(faults(plpgsql(sql))).toEqual([]);
});

test("a function that returns an expression ends with it", () => {
  const sql = `create function private.step() returns interval language sql
return interval '1 day';
${plpgsql("return x.y;")}`;
  expect(functionsIn(sql).map(({ name }) => name)).toEqual(["private.step", "private.latest"]);
});
