import { parseArgs } from "node:util";
import { bookChecks } from "./doctor/books.ts";
import { bucketChecks } from "./doctor/bucket.ts";
import { dataApiChecks } from "./doctor/data-api.ts";
import { databaseChecks } from "./doctor/database.ts";
import { diskChecks } from "./doctor/disk.ts";
import { projectFrom } from "./doctor/project.ts";
import { type Finding, runChecks } from "./doctor/run-checks.ts";
import { schemaChecks } from "./doctor/schema.ts";
import { fail } from "./fail.ts";

const MARKS: Record<Finding["verdict"], string> = { ok: "✓", unknown: "–", problem: "✗" };

const { values } = parseArgs({ options: { books: { type: "boolean", default: false } } });
const project = projectFrom(process.env);
if (!project) {
  fail(
    "There is no project to check: set SUPABASE_URL, its keys and DATABASE_URL, or start a " +
      "local stack on DATA_DIR with npm start.",
  );
}

let problems = 0;
for await (const { check, verdict, found, advice } of runChecks(
  project,
  values.books
    ? bookChecks
    : [...databaseChecks, ...diskChecks, ...dataApiChecks, ...bucketChecks, ...schemaChecks],
)) {
  console.log(`${MARKS[verdict]} ${check}: ${found}`);
  if (advice) console.log(`  ${advice}`);
  problems += Number(verdict === "problem");
}
console.log(problems === 0 ? "Nothing to fix." : `${problems} to fix.`);
process.exitCode = problems === 0 ? 0 : 1;
