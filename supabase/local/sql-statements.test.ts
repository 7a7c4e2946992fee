import { expect, test } from "vitest";
import { statementsOf } from "./sql-statements.ts";

test("a semicolon ends a statement only outside of texts, names, comments and bodies", () => {
  const statements = [
    "select 'a;b', \"c;d\"",
    "-- Not here; nor here.\nselect 1 /* nor; here */",
    "create function f() returns void language plpgsql as $$\nbegin\n  perform 1; -- it's fine\nend $$",
    "select $q$ $$; $q$, 'it''s; one'",
  ];
  expect(statementsOf(`${statements.join(";\n")};\n`)).toEqual(statements);
  expect(statementsOf("select 1; select 2")).toEqual(["select 1", "select 2"]);
  expect(statementsOf(" \n")).toEqual([]);
});
