import { Client, DatabaseError } from "pg";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE = "Usage: npm run -s tenant -- create <id> <name>";

const [verb, id, ...words] = process.argv.slice(2);
const name = words.join(" ");
if (verb !== "create" || !id || !name) fail(USAGE);

const connectionString = stackEnvironment().DATABASE_URL;
if (!connectionString) fail("There is no stack on DATA_DIR. Run npm start first, or give DATABASE_URL.");

const client = new Client({ connectionString });
try {
  await client.connect();
  await client.query("select private.create_tenant($1, $2)", [id, name]);
  console.log(`Created the tenant ${id}.`);
} catch (error) {
  fail(messageOf(error));
} finally {
  await client.end();
}

function messageOf(error: unknown): string {
  if (!(error instanceof DatabaseError)) return "The database does not answer. Is the stack running?";
  if (error.code === "23505") return `There is a tenant ${id} already.`;
  return error.detail ?? error.message;
}
