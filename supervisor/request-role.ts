/**
 * The login role of requests. It owns nothing and has no rights except to assume a request's role
 * for one call.
 */
import { randomBytes } from "node:crypto";
import { withConnection } from "./check-connection.ts";

const NAME = "tieout_requests";
const REQUEST_ROLES = ["anon", "authenticated", "service_role"];

/**
 * Creates the role, or gives it a new password. `ownerUrl` must belong to a role that may grant the
 * three roles (on Supabase, `postgres`).
 * @returns REQUEST_DATABASE_URL
 */
export async function makeRequestRole(ownerUrl: string): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  await withConnection(ownerUrl, async (client) => {
    const { rowCount } = await client.query("select from pg_roles where rolname = $1", [NAME]);
    await client.query("begin");
    if (!rowCount) await client.query(`create role ${NAME} login noinherit`);
    await client.query(`alter role ${NAME} password ${client.escapeLiteral(password)}`);
    await client.query(`alter role ${NAME} set statement_timeout = '8s'`);
    await client.query(`alter role ${NAME} set lock_timeout = '8s'`);
    await client.query(`grant ${REQUEST_ROLES.join(", ")} to ${NAME} with inherit false, set true`);
    await client.query("commit");
  });
  const url = new URL(ownerUrl);
  // Supabase's pooler reads the project from the part after the period.
  url.username = url.username.replace(/^[^.]*/, NAME);
  url.password = password;
  return url.href;
}

/**
 * The rights that the role of a REQUEST_DATABASE_URL has beyond assuming a request's role, or null
 * if it has none.
 */
export async function excessRightsOf(requestUrl: string): Promise<string | null> {
  return withConnection(requestUrl, async (client) => {
    const { rows } = await client.query<{
      name: string;
      powers: string[];
      others: string[];
      missing: string[];
    }>(
      `select current_user as name,
         array_remove(array[
           case when r.rolsuper then 'is a superuser' end,
           case when r.rolbypassrls then 'passes row-level security by' end,
           case when r.rolcreaterole then 'makes roles' end,
           case when exists (select from pg_class where relowner = r.oid)
             or exists (select from pg_proc where proowner = r.oid)
             then 'owns tables or functions' end
         ], null) as powers,
         array(select rolname::text from pg_roles o where o.oid <> r.oid and rolname <> all($1)
           and pg_has_role(r.oid, o.oid, 'member')) as others,
         array(select n from unnest($1::text[]) n
           where not exists (select from pg_roles o
           where rolname = n and pg_has_role(r.oid, o.oid, 'set'))) as missing
       from pg_roles r where rolname = current_user`,
      [REQUEST_ROLES],
    );
    const [found] = rows;
    if (!found) return "is unknown";
    const { name, powers, others, missing } = found;
    if (missing.length > 0) return `${name} may not become ${missing.join(", ")}`;
    if (others.length > 0) return `${name} may become ${others.join(", ")}`;
    return powers.length > 0 ? `${name} ${powers.join(" and ")}` : null;
  });
}
