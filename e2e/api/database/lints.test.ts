import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sql, stack } from "#e2e/fixtures.ts";

type Diagnostic = { severity: string; message: string; category: string };

/** Whose schema it is not ours to lint. */
const OTHERS = /`graphile_worker\./;

describe("the schema", () => {
  test("has nothing at ERROR or WARN by Supabase's database lints", () => {
    const linter = join(import.meta.dirname, "../../../node_modules/.bin/postgres-language-server");
    const options = ["--reporter=json", "--max-diagnostics=none", "--connection-string", stack.databaseUrl];
    const report = execFileSync(linter, ["dblint", ...options], { cwd: tmpdir(), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const { diagnostics } = JSON.parse(report) as { diagnostics: Diagnostic[] };
    expect(diagnostics.some(({ category }) => category.startsWith("splinter/"))).toBe(true);
    const serious = diagnostics.filter(({ severity, message }) => severity !== "info" && !OTHERS.test(message));
    expect(serious).toEqual([]);
  });

  // Lints 0028 and 0029, which the linter does not have yet, and stricter: not for any role.
  test("exposes no function that runs with its owner's rights", async () => {
    const exposed = await sql("select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef");
    expect(exposed).toEqual([]);
  });

  test("lets callers use its owner's rights within their own tenant alone", async () => {
    const unbound = await sql(`
      select p.oid::regprocedure::text as name from pg_proc p
      where pronamespace = 'private'::regnamespace and prosecdef and prosrc !~ 'private\\.tenant_id\\(\\)'
        and (has_function_privilege('authenticated', oid, 'execute') or has_function_privilege('anon', oid, 'execute'))`);
    expect(unbound).toEqual([]);
  });

  test("lets no function be steered by a search_path", async () => {
    const steered = await sql(`
      select p.oid::regprocedure::text as name from pg_proc p
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
        and not coalesce(proconfig, '{}') @> array['search_path=""']`);
    expect(steered).toEqual([]);
  });

  test("lets everybody execute nothing", async () => {
    const open = await sql(`
      select p.oid::regprocedure::text as name from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and a.grantee = 0`);
    expect(open).toEqual([]);
  });

  test("grants no API role what row-level security does not stop", async () => {
    const granted = await sql(`
      select c.oid::regclass::text as name, r.rolname, p.privilege
      from pg_class c, (values ('anon'), ('authenticated'), ('service_role')) r (rolname),
        (values ('truncate'), ('references'), ('trigger'), ('maintain')) p (privilege)
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm')
        and has_table_privilege(r.rolname, c.oid, p.privilege)`);
    expect(granted).toEqual([]);
  });

  test("has row-level security on every table", async () => {
    const open = await sql(`
      select oid::regclass::text as name from pg_class
      where relnamespace in ('public'::regnamespace, 'private'::regnamespace) and relkind in ('r', 'p') and not relrowsecurity`);
    expect(open).toEqual([]);
  });
});
