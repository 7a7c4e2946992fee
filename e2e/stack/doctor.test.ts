import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDataDir } from "./data-dir.ts";
import { deafPooler } from "./pooler.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const DOCTOR = join(import.meta.dirname, "../../bin/doctor.ts");
const DATA_DIR = freshDataDir();
const FUTURE = "29991231235959";

let stack: Supervisor;
let project: Project;

beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR });
  project = new Project(stack, DATA_DIR);
});
afterAll(() => stack.end("SIGTERM"));

/** The doctor's report on the stack, with these variables overriding its own. */
async function examined(env: Record<string, string> = {}): Promise<{ ends: number; says: string }> {
  const run = promisify(execFile)(process.execPath, [DOCTOR], {
    env: { ...process.env, DATA_DIR, ...env },
  });
  return run.then(
    ({ stdout }) => ({ ends: 0, says: stdout }),
    ({ code, stdout }) => ({ ends: code, says: stdout }),
  );
}

test("a sound project has nothing to fix", async () => {
  const { ends, says } = await examined();
  expect(says.split("\n").filter((line) => line.startsWith("✗"))).toEqual([]);
  expect(says).toContain("Nothing to fix.");
  expect(ends).toBe(0);
});

describe("names each problem of the database", () => {
  test.each([
    {
      wrong:
        "a table without row-level security, a policy too " +
        "many, a grant too many, and a function of another's",
      breaks: `alter table public.sources disable row level security;
        create policy open on public.lines for select to authenticated using (true);
        grant insert on public.exceptions to authenticated;
        create or replace function private.tenant_id() returns text language sql stable set search_path = '' as $$ select 'acme' $$`,
      mends: `alter table public.sources enable row level security;
        drop policy open on public.lines;
        revoke insert on public.exceptions from authenticated`,
      says: [
        /^✗ Schema: /m,
        /row-level security public\.sources is changed/,
        /policy open on public\.lines is added/,
        /grant insert on public\.exceptions to authenticated is added/,
        /function private\.tenant_id\(\) is changed/,
      ],
    },
    {
      wrong: "a function that returns rows, which the Data API cuts at its limit",
      breaks: `create function public.all_of_them() returns setof int language sql as 'select 1';
        grant execute on function public.all_of_them() to authenticated`,
      mends: "drop function public.all_of_them()",
      says: [
        /^✗ Row limit: the Data API truncates these results at its row limit: (?:public\.)?all_of_them\(\)$/m,
      ],
    },
    {
      wrong: "a database of a newer version",
      breaks: `insert into supabase_migrations.schema_migrations (version) values ('${FUTURE}')`,
      mends: `delete from supabase_migrations.schema_migrations where version = '${FUTURE}'`,
      says: [new RegExp(`^✗ Migrations: the database has ${FUTURE}`, "m")],
    },
  ])("$wrong", async ({ breaks, mends, says }) => {
    const [kept] = await project.sql<{ definition: string }>(
      "select pg_get_functiondef('private.tenant_id'::regproc) as definition",
    );
    await project.sql(breaks);
    const report = await examined();
    await project.sql(`${mends}; ${kept?.definition}`);
    for (const sentence of says) expect(report.says).toMatch(sentence);
    expect(report.ends).toBe(1);
  });
});

describe("names each problem of the variables", () => {
  test("wrong keys, a secret unknown to the Data API, and a full database", async () => {
    const report = await examined({
      SUPABASE_PUBLISHABLE_KEY: project.env.SUPABASE_SECRET_KEY ?? "",
      SUPABASE_SECRET_KEY: "tks_not_supabase",
      SUPABASE_JWT_SECRET: "another secret of more than thirty-two bytes",
      DATABASE_MAX_BYTES: "1000",
    });
    expect(report.says).toMatch(
      /^✗ Publishable key: SUPABASE_PUBLISHABLE_KEY is a key of the kind secret$/m,
    );
    expect(report.says).toMatch(
      /^✗ Secret key: SUPABASE_SECRET_KEY is no key of a Supabase project$/m,
    );
    expect(report.says).toMatch(
      /^✗ JWT secret: the Data API rejects tokens signed with SUPABASE_JWT_SECRET$/m,
    );
    expect(report.says).toMatch(/^✗ Size: .* of DATABASE_MAX_BYTES$/m);
    expect(report.ends).toBe(1);
  });

  test("a role for requests with more rights", async () => {
    const report = await examined({ REQUEST_DATABASE_URL: project.env.DATABASE_URL ?? "" });
    expect(report.says).toMatch(
      /^✗ Requests: REQUEST_DATABASE_URL's role may do more than requests may: postgres /m,
    );
    expect(report.ends).toBe(1);
  });

  test("a pooler that loses notifications", async () => {
    const pooler = await deafPooler(project.env.DATABASE_URL ?? "");
    const report = await examined({ DIRECT_URL: pooler.url });
    await pooler.stop();
    expect(report.says).toMatch(
      /^✗ Notifications: DIRECT_URL goes through a pooler in transaction mode/m,
    );
    expect(report.ends).toBe(1);
  });

  test("a database that is not there", async () => {
    const report = await examined({ DATABASE_URL: "postgresql://postgres@127.0.0.1:1/postgres" });
    expect(report.says).toMatch(/^✗ Postgres: the check failed: connect ECONNREFUSED/m);
    expect(report.ends).toBe(1);
  });
});
