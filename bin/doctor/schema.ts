import { migrate, migrations } from "../../supabase/local/migrate.ts";
import { withFreshDatabases } from "../generate/fresh-database.ts";
import { readCatalogue, type Thing } from "../migration/catalogue.ts";
import { type Difference, describe, differences } from "../migration/difference.ts";
import { connected } from "./database.ts";
import { type Check, ill, unknown, well } from "./examine.ts";
import type { Project } from "./project.ts";

const MOST_TOLD = 20;
/** The platform's own, which differ from project to project. */
const OF_THE_PLATFORM = new Set(["extension", "schema", "default privileges"]);

export const schemaChecks: readonly Check[] = [
  { name: "Migrations", look: lookAtMigrations },
  { name: "Schema", look: lookAtSchema },
];

async function lookAtMigrations(project: Project) {
  const applied = await appliedMigrations(project);
  const known = migrations().map(({ version }) => version);
  const pending = known.filter((version) => !applied.includes(version));
  const ahead = applied.filter((version) => version > (known.at(-1) ?? ""));
  if (ahead.length > 0) {
    return ill(
      `the database has ${ahead.join(", ")}, which this version of Tieout doesn't know`,
      "A newer version was deployed. Run that one: this one may not understand what it wrote.",
    );
  }
  if (pending.length > 0) return ill(`${pending.length} are pending: ${pending.join(", ")}`, "npm start applies them.");
  return well(`all ${known.length} are applied`);
}

/** Each table, column, policy, grant and function, against what the migrations make on an empty database. */
async function lookAtSchema(project: Project) {
  const applied = await appliedMigrations(project);
  const known = migrations().map(({ version }) => version);
  if (known.some((version) => !applied.includes(version))) return unknown("it is compared when every migration is applied");
  const found = await connected(project, readCatalogue);
  const wanted = await withFreshDatabases(async (fresh) => {
    const { url, client } = await fresh();
    await migrate(url);
    return readCatalogue(client);
  });
  const wrong = drift(wanted, found);
  if (wrong.length === 0) return well(`${wanted.length} tables, columns, policies, grants and functions as the migrations make them`);
  const told = wrong.slice(0, MOST_TOLD).map(describe);
  if (wrong.length > told.length) told.push(`and ${wrong.length - told.length} more`);
  return ill(
    `${wrong.length} differ from what the migrations make:\n  ${told.join("\n  ")}`,
    "Take these changes back. Lasting ones belong in a migration.",
  );
}

/** Tables that others keep beside ours are theirs. What is granted or allowed on ours is not. */
function drift(wanted: readonly Thing[], found: readonly Thing[]): Difference[] {
  const ours = new Set(wanted.map(({ owner }) => owner));
  return differences(wanted, found).filter(({ change, before, after }) => {
    const { kind, owner } = (after ?? before) as Thing;
    return !OF_THE_PLATFORM.has(kind) && (change !== "added" || ours.has(owner));
  });
}

async function appliedMigrations(project: Project): Promise<string[]> {
  return connected(project, async (client) => {
    const { rows } = await client.query<{ there: boolean }>(
      "select to_regclass('supabase_migrations.schema_migrations') is not null as there",
    );
    if (!rows[0]?.there) return [];
    const versions = await client.query<{ version: string }>("select version from supabase_migrations.schema_migrations order by version");
    return versions.rows.map(({ version }) => version);
  });
}
