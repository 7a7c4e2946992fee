import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrations } from "../../../supabase/local/migrate.ts";
import { contractionsIn, contractionsSince } from "./contractions.ts";
import { schemaSql } from "./schemas.ts";
import {
  calledFunctions,
  lostSignatures,
  lostSignaturesSince,
  type Signatures,
  signaturesAfter,
} from "./signatures.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** The code that runs as a process of the product. Its builds overlap during a rolling update. */
const PROCESSES = ["app", "engine", "lib", "server", "supervisor", "worker"];

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

describe("functions that processes call", () => {
  const files = execFileSync("git", ["ls-files", ...PROCESSES], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((file) => /(?<!\.test|\.gen)\.(?:tsx?|mjs)$/.test(file));
  const shipped = signaturesAfter(new Map(), schemaSql());
  const texts = files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const);
  const found = calledFunctions(texts.map(([, text]) => text).join("\n"));
  const called = new Set(
    [...found].filter((name) => name.startsWith("private.") || shipped.has(name)),
  );

  test("are all found in their code, and exist", () => {
    for (const name of [
      "private.finish_run", // with named arguments
      "private.fail_file", // by a method that puts the name into a statement
      "private.record_heartbeat", // in the text of a statement
      "public.find_api_key", // by a transport
    ])
      expect(called).toContain(name);
    // These functions take the name of the called function as an argument, which is found at their
    // callers.
    const builders = texts.filter(([, text]) => text.includes("private.${"));
    expect(builders.map(([file]) => file)).toEqual([
      "worker/connections/queries.ts",
      "worker/matcher/runs/call.ts",
    ]);
    const verbs = [...shipped.keys()].filter((name) => name.startsWith("public."));
    expect(verbs.filter((name) => !called.has(name))).toEqual([]);
    expect([...called].filter((name) => !shipped.has(name))).toEqual([]);
  });

  test("have the signatures that the migrations leave", () => {
    const left = migrations().reduce<Signatures>(
      (before, { file }) => signaturesAfter(before, readFileSync(file, "utf8")),
      new Map(),
    );
    for (const name of called) expect([name, left.get(name)]).toEqual([name, shipped.get(name)]);
  });

  test("are callable by the previous release after every migration since", () => {
    expect(lostSignaturesSince(RELEASED, migrations(), found)).toEqual([]);
  });

  test("would have rejected a change of finish_run's arguments, which an older matcher sends", () => {
    expect(lostSignaturesSince("20261127110702", migrations(), called)).toContainEqual(
      "20261127112212_run_totals_beside_exceptions: " +
        "private.finish_run(tenant text, run text, attempt integer, outcome jsonb)",
    );
  });

  const OLD = "create function private.tidy(tenant text, batch integer) returns void as $$ $$;";
  const faults = (sql: string) => {
    const before = signaturesAfter(new Map(), OLD);
    return lostSignatures(before, signaturesAfter(before, sql), new Set(["private.tidy"]), sql);
  };

  test.each([
    ["dropped", "drop function private.tidy(text, integer);"],
    [
      "given another argument",
      `drop function private.tidy(text, integer);
       create function private.tidy(tenant text, batch integer, at date) returns void as $$ $$;`,
    ],
    [
      "given another name of an argument",
      `drop function private.tidy(text, integer);
       create function private.tidy(tenant text, size integer) returns void as $$ $$;`,
    ],
    [
      "given another type of an argument",
      `create function private.tidy(tenant text, batch bigint) returns void as $$ $$;
       drop function private.tidy(text, integer);`,
    ],
  ])("may not be %s", (_, sql) => {
    expect(faults(sql)).toEqual(["private.tidy(tenant text, batch integer)"]);
  });

  test.each([
    [
      "a new body",
      "create or replace function private.tidy(tenant text, batch integer) returns void as $$ $$;",
    ],
    [
      "a new argument with a default",
      `drop function private.tidy(text, integer);
       create function private.tidy(tenant text, batch integer, at date default now())
       returns void as $$ $$;`,
    ],
    [
      "a second function with other arguments",
      "create function private.tidy(tenant text, at date) returns void as $$ $$;",
    ],
    [
      "a removal that says why nothing calls it",
      `-- contracts: private.tidy, which nothing has called for a release
       drop function private.tidy(text, integer);`,
    ],
  ])("may have %s", (_, sql) => {
    expect(faults(sql)).toEqual([]);
  });
});
