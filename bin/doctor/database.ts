import type { Client } from "pg";
import { PRODUCT_ID } from "#lib/wire/product.ts";
import { supportsListen } from "../../lib/background/supports-listen.ts";
import { withConnection } from "../../supervisor/check-connection.ts";
import { excessRightsOf } from "../../supervisor/request-role.ts";
import type { Project } from "./project.ts";
import { type Check, ok, problem, unknown } from "./run-checks.ts";

const MIN_POSTGRES = 17;
const MAX_SKEW_MS = 2_000;
const MAX_TRANSACTION_MINUTES = 5;
const FULL_SHARE = 0.9;
const MIB = 1024 * 1024;

/** The roles of a Supabase project, and whether row-level security binds them. */
const ROLES = [
  { name: "anon", bypasses: false, canLogin: false },
  { name: "authenticated", bypasses: false, canLogin: false },
  { name: "service_role", bypasses: true, canLogin: false },
  { name: "authenticator", bypasses: false, canLogin: true },
] as const;

export const databaseChecks: readonly Check[] = [
  { name: "Postgres", run: checkVersion },
  { name: "Roles", run: checkRoles },
  { name: "Requests", run: checkRequests },
  { name: "Notifications", run: checkNotifications },
  { name: "Clock", run: checkClock },
  { name: "Connections", run: checkConnections },
  { name: "Long transactions", run: checkTransactions },
  { name: "Size", run: checkSize },
];

/** Opens a direct connection for one check. */
export function withDirectClient<Result>(
  { directUrl }: Pick<Project, "directUrl">,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return withConnection(directUrl, work, { application_name: `${PRODUCT_ID} doctor` });
}

async function queryOne<Row extends object>(project: Project, query: string): Promise<Row> {
  const rows = await all<Row>(project, query);
  return rows[0] as Row;
}

function all<Row extends object>(project: Project, query: string): Promise<Row[]> {
  return withDirectClient(project, async (client) => (await client.query<Row>(query)).rows);
}

async function checkVersion(project: Project) {
  const { version, name } = await queryOne<{ version: number; name: string }>(
    project,
    "select current_setting('server_version_num')::int / 10000 as version, current_user as name",
  );
  if (version < MIN_POSTGRES)
    return problem(
      `version ${version}`,
      `Upgrade the project to Postgres ${MIN_POSTGRES} or newer.`,
    );
  return ok(`version ${version}, as ${name}`);
}

async function checkRoles(project: Project) {
  const rows = await all<{
    name: string;
    bypasses: boolean;
    can_login: boolean;
    super: boolean;
    members: string[];
  }>(
    project,
    `select rolname as name, rolbypassrls as bypasses, rolcanlogin as can_login, rolsuper as super,
       array(select roleid::regrole::text from pg_auth_members where member = r.oid) as members
       from pg_roles r`,
  );
  const wrong = ROLES.flatMap(({ name, bypasses, canLogin }) => {
    const role = rows.find((row) => row.name === name);
    if (!role) return `${name} is missing`;
    if (role.super) return `${name} is a superuser`;
    if (role.bypasses !== bypasses)
      return `${name} ${bypasses ? "doesn't bypass" : "bypasses"} row-level security`;
    return role.can_login === canLogin ? [] : `${name} ${canLogin ? "can't" : "can"} log in`;
  });
  const becomes = rows.find(({ name }) => name === "authenticator")?.members ?? [];
  const missing = ["anon", "authenticated", "service_role"].filter(
    (name) => !becomes.includes(name),
  );
  if (missing.length > 0) wrong.push(`authenticator can't become ${missing.join(", ")}`);
  if (wrong.length === 0)
    return ok("anon, authenticated, service_role and authenticator are as on Supabase");
  return problem(
    wrong.join("; "),
    "Set these roles as Supabase does: https://supabase.com/docs/guides/database/postgres/roles",
  );
}

async function checkRequests({ requestUrl }: Project) {
  if (!requestUrl)
    return unknown(
      "they use the Data API, which is several times slower; npm run request-role creates a role " +
        "for direct connections",
    );
  const excess = await excessRightsOf(requestUrl);
  if (excess === null)
    return ok("REQUEST_DATABASE_URL's role owns nothing and can only become a request's role");
  return problem(
    `REQUEST_DATABASE_URL's role has more rights than requests need: ${excess}`,
    "Create another with npm run request-role.",
  );
}

async function checkNotifications({ directUrl, directName }: Project) {
  if (await supportsListen(directUrl)) return ok(`${directName} supports LISTEN`);
  return problem(
    `${directName} goes through a pooler in transaction ` +
      "mode, which loses the worker's notifications",
    "Set DIRECT_URL to a direct connection, or to one through a pooler in session mode (at " +
      "Supabase: port 5432, not 6543).",
  );
}

/** Compares the database's clock with ours at the middle of a round trip. */
async function checkClock(project: Project) {
  const skew = await withDirectClient(project, async (client) => {
    const before = Date.now();
    const { rows } = await client.query<{ now: Date }>("select clock_timestamp() as now");
    return Math.abs((rows[0]?.now.getTime() ?? 0) - (before + Date.now()) / 2);
  });
  if (skew <= MAX_SKEW_MS) return ok(`${Math.round(skew)} ms apart from this machine's`);
  return problem(
    `${(skew / 1000).toFixed(1)} s apart from this machine's`,
    "Tokens are valid for a minute, and a clock this far off refuses them. Synchronise this " +
      "machine's clock by NTP, and the database's where you run it.",
  );
}

async function checkConnections(project: Project) {
  const { max, taken } = await queryOne<{ max: number; taken: number }>(
    project,
    `select current_setting('max_connections')::int
       - current_setting('superuser_reserved_connections')::int as max,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as taken`,
  );
  const found = `${taken} of ${max} taken`;
  if (taken < max * FULL_SHARE) return ok(found);
  return problem(
    found,
    "Raise max_connections, run fewer processes, or find who holds the others: select * from " +
      "pg_stat_activity.",
  );
}

async function checkTransactions(project: Project) {
  const rows = await all<{ pid: number; name: string; minutes: number; state: string }>(
    project,
    `select pid, coalesce(nullif(application_name, ''), usename::text, 'unnamed') as name, state,
       floor(extract(epoch from clock_timestamp() - xact_start) / 60)::int as minutes
     from pg_stat_activity
     where xact_start < clock_timestamp() - make_interval(mins => ${MAX_TRANSACTION_MINUTES})
       and backend_type = 'client backend' and pid <> pg_backend_pid()
     order by xact_start`,
  );
  if (rows.length === 0) return ok(`none is older than ${MAX_TRANSACTION_MINUTES} minutes`);
  const owners = rows
    .map(({ pid, name, minutes, state }) => `pid ${pid}, ${name}, ${state} for ${minutes} minutes`)
    .join("; ");
  return problem(
    owners,
    "They hold back vacuum, and locks that others wait for. End one with select " +
      "pg_terminate_backend(<pid>).",
  );
}

async function checkSize(project: Project) {
  const { bytes } = await queryOne<{ bytes: string }>(
    project,
    "select pg_database_size(current_database())::text as bytes",
  );
  const size = `${Math.round(Number(bytes) / MIB)} MiB`;
  if (project.maxBytes === 0)
    return unknown(
      `${size}; DATABASE_MAX_BYTES isn't set, so nothing is refused before the disk is full`,
    );
  const share = Number(bytes) / project.maxBytes;
  const found = `${size}, ${Math.round(share * 100)} % of DATABASE_MAX_BYTES`;
  if (share < FULL_SHARE) return ok(found);
  return problem(
    found,
    "Files are refused when it is reached. Give the project a larger disk and raise " +
      "DATABASE_MAX_BYTES.",
  );
}
