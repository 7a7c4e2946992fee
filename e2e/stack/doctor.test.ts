import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDataDir } from "./data-dir.ts";
import { poolerWithoutNotifications } from "./pooler.ts";
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

/** The doctor's report on the stack. `env` overrides the stack's variables. */
async function runDoctor(
  env: Record<string, string> = {},
): Promise<{ exitCode: number; output: string }> {
  const run = promisify(execFile)(process.execPath, [DOCTOR], {
    env: { ...process.env, DATA_DIR, ...env },
  });
  return run.then(
    ({ stdout }) => ({ exitCode: 0, output: stdout }),
    ({ code, stdout }) => ({ exitCode: code, output: stdout }),
  );
}

test("a sound project has nothing to fix", async () => {
  const { exitCode, output } = await runDoctor();
  expect(output.split("\n").filter((line) => line.startsWith("✗"))).toEqual([]);
  expect(output).toContain("Nothing to fix.");
  expect(exitCode).toBe(0);
});

describe("names each problem of the database", () => {
  test.each([
    {
      problem:
        "a table without row-level security, a policy too " +
        "many, a grant too many, and a function of another's",
      damage: `alter table public.sources disable row level security;
        create policy open on public.lines for select to authenticated using (true);
        grant insert on public.exceptions to authenticated;
        create or replace function private.tenant_id() returns text language sql stable set search_path = '' as $$ select 'acme' $$`,
      repair: `alter table public.sources enable row level security;
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
      problem: "a function that returns rows, which the Data API cuts at its limit",
      damage: `create function public.all_of_them() returns setof int language sql as 'select 1';
        grant execute on function public.all_of_them() to authenticated`,
      repair: "drop function public.all_of_them()",
      says: [
        /^✗ Row limit: the Data API truncates these results at its row limit: (?:public\.)?all_of_them\(\)$/m,
      ],
    },
    {
      problem: "a database of a newer version",
      damage: `insert into supabase_migrations.schema_migrations (version) values ('${FUTURE}')`,
      repair: `delete from supabase_migrations.schema_migrations where version = '${FUTURE}'`,
      says: [new RegExp(`^✗ Migrations: the database has ${FUTURE}`, "m")],
    },
  ])("$problem", async ({ damage, repair, says }) => {
    const [original] = await project.sql<{ definition: string }>(
      "select pg_get_functiondef('private.tenant_id'::regproc) as definition",
    );
    await project.sql(damage);
    const report = await runDoctor();
    await project.sql(`${repair}; ${original?.definition}`);
    for (const sentence of says) expect(report.output).toMatch(sentence);
    expect(report.exitCode).toBe(1);
  });
});

describe("names each problem of the variables", () => {
  test("wrong keys, a secret unknown to the Data API, and a full database", async () => {
    const report = await runDoctor({
      SUPABASE_PUBLISHABLE_KEY: project.env.SUPABASE_SECRET_KEY ?? "",
      SUPABASE_SECRET_KEY: "tks_not_supabase",
      SUPABASE_JWT_SECRET: "another secret of more than thirty-two bytes",
      DATABASE_MAX_BYTES: "1000",
    });
    expect(report.output).toMatch(
      /^✗ Publishable key: SUPABASE_PUBLISHABLE_KEY is a key of the kind secret$/m,
    );
    expect(report.output).toMatch(
      /^✗ Secret key: SUPABASE_SECRET_KEY is no key of a Supabase project$/m,
    );
    expect(report.output).toMatch(
      /^✗ JWT secret: the Data API rejects tokens signed with SUPABASE_JWT_SECRET$/m,
    );
    expect(report.output).toMatch(/^✗ Size: .* of DATABASE_MAX_BYTES$/m);
    expect(report.exitCode).toBe(1);
  });

  test("a role for requests with more rights", async () => {
    const report = await runDoctor({ REQUEST_DATABASE_URL: project.env.DATABASE_URL ?? "" });
    expect(report.output).toMatch(
      /^✗ Requests: REQUEST_DATABASE_URL's role may do more than requests may: postgres /m,
    );
    expect(report.exitCode).toBe(1);
  });

  test("a pooler that loses notifications", async () => {
    const pooler = await poolerWithoutNotifications(project.env.DATABASE_URL ?? "");
    const report = await runDoctor({ DIRECT_URL: pooler.url });
    await pooler.stop();
    expect(report.output).toMatch(
      /^✗ Notifications: DIRECT_URL goes through a pooler in transaction mode/m,
    );
    expect(report.exitCode).toBe(1);
  });

  test("a database that is not there", async () => {
    const report = await runDoctor({ DATABASE_URL: "postgresql://postgres@127.0.0.1:1/postgres" });
    expect(report.output).toMatch(/^✗ Postgres: the check failed: connect ECONNREFUSED/m);
    expect(report.exitCode).toBe(1);
  });
});
