import type { Client } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../dev/generate/test-databases.ts";
import { databaseChecks } from "./database.ts";
import type { Project } from "./project.ts";
import { type Finding, runChecks } from "./run-checks.ts";
import { schemaChecks } from "./schema.ts";

const fresh = testDatabases();
let client: Client;
let url: string;

beforeAll(async () => {
  ({ client, url } = await fresh());
}, 60_000);

/**
 * The finding of each check. `doubles` is a schema whose functions and views replace Postgres's
 * own.
 */
async function found(doubles?: string): Promise<Record<string, Finding>> {
  const direct = new URL(url);
  if (doubles) direct.searchParams.set("options", `-c search_path=${doubles},pg_catalog`);
  const project: Project = {
    url: "http://127.0.0.1:1",
    publishableKey: "",
    secretKey: "",
    jwtSecret: "",
    directUrl: direct.href,
    directName: "DATABASE_URL",
    requestUrl: "",
    maxBytes: 0,
    disk: "",
    bucket: "",
  };
  const findings: Record<string, Finding> = {};
  for await (const finding of runChecks(project, [...databaseChecks, ...schemaChecks]))
    findings[finding.check] = finding;
  return findings;
}

const setting = (name: string, value: string) =>
  "function current_setting(name text) returns text language sql as $$ select case name when " +
  `'${name}' then '${value}' else pg_catalog.current_setting(name) end $$`;
const later = (interval: string) =>
  `function clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() + interval '${interval}' $$`;
const roles = (columns: string) =>
  `view pg_roles as select oid, rolname, ${columns} from pg_catalog.pg_roles`;

describe("the doctor reports", () => {
  test("that an empty database has pending migrations, and what it can't check", async () => {
    const findings = await found();
    expect(Object.values(findings).filter(({ verdict }) => verdict === "problem")).toEqual([
      {
        check: "Migrations",
        verdict: "problem",
        found: expect.stringMatching(/^\d+ are pending: /),
        advice: "npm run db -- push applies them.",
      },
    ]);
    const unknown = Object.values(findings).filter(({ verdict }) => verdict === "unknown");
    expect(unknown.map(({ check }) => check)).toEqual(["Requests", "Size", "Schema"]);
  });

  test.each([
    ["Postgres", "an old Postgres", setting("server_version_num", "160004"), /^version 16$/],
    [
      "Connections",
      "connections that are nearly used up",
      setting("max_connections", "4"),
      /^\d of 1 taken$/,
    ],
    [
      "Clock",
      "a clock that is wrong",
      later("10 seconds"),
      /^(9\.\d|10\.\d) s apart from this machine's$/,
    ],
    [
      "Long transactions",
      "a transaction that never ends",
      later("6 minutes"),
      /^pid \d+, left open, idle in transaction for 6 minutes$/,
    ],
    [
      "Roles",
      "a role that row-level security doesn't bind but must",
      roles("rolbypassrls or rolname = 'anon' as rolbypassrls, rolcanlogin, rolsuper"),
      /^anon bypasses row-level security$/,
    ],
    [
      "Roles",
      "a role that row-level security binds but must not",
      roles("false as rolbypassrls, rolcanlogin, rolsuper"),
      /^service_role doesn't bypass row-level security$/,
    ],
    [
      "Roles",
      "roles that are superusers",
      roles("rolbypassrls, rolcanlogin, rolname = 'authenticated' as rolsuper"),
      /^authenticated is a superuser$/,
    ],
    [
      "Roles",
      "roles that can log in but must not, and the reverse",
      roles("rolbypassrls, not rolcanlogin as rolcanlogin, rolsuper"),
      /^anon can log in; authenticated can log in; service_role can log in; authenticator can't log in$/,
    ],
    [
      "Roles",
      "a missing role",
      `${roles("rolbypassrls, rolcanlogin, rolsuper")} where rolname <> 'anon'`,
      /^anon is missing$/,
    ],
    [
      "Roles",
      "a role that the authenticator can't assume",
      `view pg_auth_members as select * from pg_catalog.pg_auth_members
       where roleid::regrole::text <> 'service_role'`,
      /^authenticator can't become service_role$/,
    ],
  ])("%s: %s", async (check, _what, double, says) => {
    await client.query("set application_name = 'left open'; create schema doubles");
    await client.query(double.replace(/^(function|view) /, "create $1 doubles."));
    await client.query("begin; select");
    const findings = await found("doubles");
    await client.query("commit; drop schema doubles cascade");
    expect(findings[check]).toMatchObject({
      verdict: "problem",
      found: expect.stringMatching(says),
      advice: expect.any(String),
    });
  });
});
