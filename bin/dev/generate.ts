/**
 * Writes the committed files that are generated from the code: the database's types and facts, its
 * table of operations and default rules, the pages about configuration, and openapi.json.
 *
 *   npm run generate -- [--check] [name…], by the names in bin/dev/generate/artefacts.ts
 *
 * With --check it writes nothing, prints the differences and fails if there are any.
 */
import { Pool } from "pg";
import {
  ARTEFACTS,
  type ArtefactName,
  checkArtefact,
  writeArtefact,
} from "./generate/artefacts.ts";
import { withFreshDatabases } from "./generate/fresh-database.ts";
import { run, schemaSql } from "./migration/schemas.ts";

const SHOWN_LINES = 40;

const [names, check] = readArguments(process.argv.slice(2));
const databaseArtefacts = names.filter((name) => ARTEFACTS[name].needsDatabase);
if (databaseArtefacts.length > 0) {
  await withFreshDatabases(async (fresh) => {
    const { url, client } = await fresh();
    await run(client, schemaSql(), "supabase/schemas");
    const database = new Pool({ connectionString: url });
    // The server may close a connection before the pool does.
    database.on("error", () => {});
    await generate(databaseArtefacts, database).finally(() => database.end());
  });
}
await generate(names.filter((name) => !ARTEFACTS[name].needsDatabase));

async function generate(chosen: ArtefactName[], database?: Pool): Promise<void> {
  for (const name of chosen) {
    if (check) report(name, await checkArtefact(name, database));
    else await writeArtefact(name, database);
  }
}

function report(name: ArtefactName, differences: string[]): void {
  if (differences.length === 0) return;
  process.exitCode = 1;
  const more =
    differences.length > SHOWN_LINES
      ? [`… and ${differences.length - SHOWN_LINES} lines more`]
      : [];
  const lines = [
    `${ARTEFACTS[name].path} is out of date: npm run generate`,
    ...differences.slice(0, SHOWN_LINES),
    ...more,
  ];
  console.error(lines.join("\n"));
}

function readArguments(args: string[]): [names: ArtefactName[], check: boolean] {
  const known = Object.keys(ARTEFACTS) as ArtefactName[];
  const unknown = args.find(
    (argument) => argument !== "--check" && !known.includes(argument as ArtefactName),
  );
  if (unknown) throw new Error(`"${unknown}" is not one of --check, ${known.join(", ")}.`);
  const named = known.filter((name) => args.includes(name));
  return [named.length > 0 ? named : known, args.includes("--check")];
}
