import { PRODUCT } from "../../lib/wire/product.ts";
import { migrate, migrationState, migrations, nameOf } from "../../supabase/local/migrate.ts";
import { withFreshDatabases } from "../dev/generate/fresh-database.ts";
import { type CatalogueObject, readCatalogue } from "../dev/migration/catalogue.ts";
import { type Difference, describe, differences } from "../dev/migration/difference.ts";
import { withDirectClient } from "./database.ts";
import type { Project } from "./project.ts";
import { type Check, ok, problem, unknown } from "./run-checks.ts";

const MAX_LISTED = 20;
/** Objects of the platform, which differ between projects. */
const PLATFORM_KINDS = new Set(["extension", "schema", "default privileges"]);

export const schemaChecks: readonly Check[] = [
  { name: "Migrations", run: checkMigrations },
  { name: "Schema", run: checkSchema },
  { name: "Row limit", run: checkRowLimit },
];

async function checkMigrations(project: Project) {
  const { pending, unknown: strange } = await withDirectClient(project, migrationState);
  if (strange.length > 0) {
    return problem(
      `the database has ${strange.join(", ")}, which this version of ${PRODUCT} doesn't know`,
      "A newer version was deployed. Run that one: this one may not understand what it wrote.",
    );
  }
  if (pending.length > 0)
    return problem(
      `${pending.length} are pending: ${pending.map(nameOf).join(", ")}`,
      "npm run db -- push applies them.",
    );
  return ok(`all ${migrations().length} are applied`);
}

/**
 * Compares each table, column, policy, grant and function with what the migrations create on an
 * empty database.
 */
async function checkSchema(project: Project) {
  const { pending } = await withDirectClient(project, migrationState);
  if (pending.length > 0) return unknown("compared only when every migration is applied");
  const found = await withDirectClient(project, readCatalogue);
  const expected = await withFreshDatabases(async (fresh) => {
    const { url, client } = await fresh();
    await migrate(url);
    return readCatalogue(client);
  });
  const wrong = drift(expected, found);
  if (wrong.length === 0)
    return ok(
      `${expected.length} tables, columns, policies, ` +
        "grants and functions are as in the migrations",
    );
  const listed = wrong.slice(0, MAX_LISTED).map(describe);
  if (wrong.length > listed.length) listed.push(`and ${wrong.length - listed.length} more`);
  return problem(
    `${wrong.length} differ from the migrations:\n  ${listed.join("\n  ")}`,
    "Revert these changes. Permanent ones belong in a migration.",
  );
}

/** Ignores other tables in the same schemas, but not grants and policies on our tables. */
function drift(
  expected: readonly CatalogueObject[],
  found: readonly CatalogueObject[],
): Difference[] {
  const ours = new Set(expected.map(({ owner }) => owner));
  return differences(expected, found).filter(({ change, before, after }) => {
    const { kind, owner } = (after ?? before) as CatalogueObject;
    return !PLATFORM_KINDS.has(kind) && (change !== "added" || ours.has(owner));
  });
}

/**
 * PostgREST silently truncates results at its row limit, 1,000 by default. None of our functions
 * returns rows.
 */
async function checkRowLimit(project: Project) {
  const { rows } = await withDirectClient(project, (client) =>
    client.query<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.proretset
         and has_function_privilege('authenticated', p.oid, 'execute')
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
         order by 1`,
    ),
  );
  if (rows.length === 0)
    return ok("no call returns more than one row, so the Data API's limit truncates nothing");
  return problem(
    "the Data API truncates these results at its row limit: " +
      `${rows.map(({ name }) => name).join(", ")}`,
    `${PRODUCT} has no such function. Drop them, or move them to a separate schema.`,
  );
}
