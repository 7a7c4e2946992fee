import { describe, expect, test } from "vitest";
import { migrations } from "../../../supabase/local/migrate.ts";
import { contractionsIn, contractionsSince } from "./contractions.ts";

/** Nothing is released yet: with 1.0.0, this becomes the last migration of each release. */
const RELEASED = "20261127235959";

test("the previous release works with every migration since", () => {
  expect(contractionsSince(RELEASED, migrations())).toEqual([]);
});

describe("rejects what the previous release can't work with", () => {
  test.each([
    "drop table public.lines;",
    "alter table public.lines drop column amount_minor;",
    "alter table public.lines\n  rename column amount_minor to amount;",
    "alter table public.lines alter column reference type varchar(10);",
    "alter table public.lines alter column reference set not null;",
    "alter table public.lines add column kind text not null;",
    "alter table public.lines alter column id drop default;",
    "drop function public.get_me(jsonb, jsonb);",
    "revoke execute on function public.get_me(jsonb, jsonb) from authenticated;",
  ])("%s", (sql) => {
    expect(contractionsIn(sql)).toHaveLength(1);
  });
});

describe("accepts what it can work with", () => {
  test.each([
    "alter table public.lines add column kind text;",
    "alter table public.lines add column kind text not null default 'bank';",
    `create table public.things (tenant_id text not null, id text not null,
       primary key (tenant_id, id));`,
    "create index lines_by_kind on public.lines (tenant_id, kind);",
    "drop function private.page(text);\ncreate function private.page(text, integer) returns text language sql as $$ select '' $$;",
    "create or replace function private.tidy() returns void language plpgsql as $$ begin alter table x drop column y; end $$;",
    "-- contracts: nothing has read it for two releases\ndrop table private.leftovers;",
  ])("%s", (sql) => {
    expect(contractionsIn(sql)).toEqual([]);
  });
});
