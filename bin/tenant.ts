import { Client, DatabaseError } from "pg";
import { ROLES, type Role } from "#lib/wire/access.ts";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE = `Usage: npm run -s tenant -- create <id> <name>
       npm run -s tenant -- admit <id> <email> <role>…   (${ROLES.join(", ")})`;

const VERBS: Record<string, (tenant: string, ...words: string[]) => Promise<string>> = { create, admit };

const [verb = "", tenant, ...words] = process.argv.slice(2);
const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
if (!run || !tenant || words.length === 0) fail(USAGE);

const connectionString = stackEnvironment().DATABASE_URL;
if (!connectionString) fail("There is no stack on DATA_DIR. Run npm start first, or give DATABASE_URL.");

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
  return `Created the tenant ${id}. Let somebody in: npm run -s tenant -- admit ${id} <email> tenant_admin`;
}

/** Gives a user of Supabase Auth these roles in the tenant, in place of those they have there. */
async function admit(id: string, email: string, ...roles: string[]): Promise<string> {
  if (roles.length === 0 || !roles.every((role) => ROLES.includes(role as Role))) fail(USAGE);
  await client.query("select private.admit_member($1, $2, $3)", [id, email, roles]);
  return `${email} is ${roles.join(" and ")} of ${id}, within a minute also where they are signed in.`;
}

function messageOf(error: unknown): string {
  if (!(error instanceof DatabaseError)) return "The database does not answer. Is the stack running?";
  if (error.code === "23505") return `There is a tenant ${tenant} already.`;
  return error.detail ?? error.message;
}
