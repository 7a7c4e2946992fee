import { Client, DatabaseError } from "pg";
import { ROLES, type Role } from "#lib/wire/access.ts";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE = `Usage: npm run -s tenant -- create <id> <name>
       npm run -s tenant -- admit <id> <email> <role>…   (${ROLES.join(", ")})`;

const VERBS: Record<string, (tenant: string, ...words: string[]) => Promise<string>> = {
  create,
  admit,
};

const [verb = "", tenant, ...words] = process.argv.slice(2);
const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
if (!run || !tenant || words.length === 0) fail(USAGE);

const connectionString = stackEnvironment().DATABASE_URL;
if (!connectionString)
  fail("No stack is running on DATA_DIR. Run npm start first, or set DATABASE_URL.");

const client = new Client({ connectionString });
try {
  await client.connect();
  console.log(await run(tenant, ...words));
} catch (error) {
  fail(messageOf(error));
} finally {
  await client.end();
}

async function create(id: string, ...name: string[]): Promise<string> {
  await client.query("select private.create_tenant($1, $2)", [id, name.join(" ")]);
  return `Created the tenant ${id}. Add a member: npm run -s tenant -- admit ${id} <email> tenant_admin`;
}

/** Gives a user of Supabase Auth these roles in the tenant, replacing their previous ones. */
async function admit(id: string, email: string, ...roles: string[]): Promise<string> {
  if (roles.length === 0 || !roles.every((role) => ROLES.includes(role as Role))) fail(USAGE);
  await client.query("select private.admit_member($1, $2, $3)", [id, email, roles]);
  return (
    `${email} is ${roles.join(" and ")} of ${id}. ` +
    "Takes effect within a minute, even for signed-in sessions."
  );
}

function messageOf(error: unknown): string {
  if (!(error instanceof DatabaseError))
    return "The database isn't responding. Is the stack running?";
  if (error.code === "23505") return `The tenant ${tenant} already exists.`;
  return error.detail ?? error.message;
}
