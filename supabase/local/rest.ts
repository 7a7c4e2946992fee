import { App } from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import { errors, jwtVerify } from "jose";
import { type Kysely, sql } from "kysely";
import { log } from "#lib/runtime/log.ts";
import { exclusiveConnection } from "./exclusive-connections.ts";
import { restError } from "./rest-errors.ts";

const POOL_SIZE = 20;
const MAX_ROWS = 1000;
const STATEMENT_TIMEOUT: Record<string, string> = { anon: "3s" };

export type RestOptions = {
  /** Connects as `authenticator`, which owns nothing. */
  authenticatorUrl: string;
  /** Connects as the schema's owner, to read the catalogue once. */
  ownerUrl: string;
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
};

type Vars = { auth?: { role?: string; uid?: string | null; jwt?: object | null } };
type Rpc = { method: string; path: string; requestHeaders?: Record<string, string> };

/** The Data API: lite's, with PostgREST's behaviour where the two differ. */
export async function restApp(options: RestOptions) {
  const connection = await restConnection(options);
  const app = new App({
    connection,
    api: { enabled: true, schemas: ["public"], max_rows: MAX_ROWS },
    auth: {
      enabled: false,
      jwt_secret: options.jwtSecret,
      publishable_key: options.publishableKey,
      secret_key: options.secretKey,
    },
    db: { migrations: { enabled: false } },
    studio: { enabled: false },
    options: {
      server: {
        admin: false,
        disableStudio: true,
        disableFallback: true,
        middlewares: [refuseBadBearer(options.jwtSecret)],
      },
    },
  });
  return app.init();
}

async function restConnection({
  authenticatorUrl,
  ownerUrl,
}: RestOptions): Promise<PostgresConnection> {
  const connection = exclusiveConnection({
    url: authenticatorUrl,
    size: POOL_SIZE,
    search_path: "public, extensions",
  });
  let { catalogue, timeouts } = await readCatalogue(ownerUrl);
  await connection.driver.listen("pgrst", async (message) => {
    if (message === "reload schema") ({ catalogue, timeouts } = await readCatalogue(ownerUrl));
  });
  return Object.assign(connection, {
    introspect: async () => catalogue,
    normalizeDbError(error: unknown) {
      reportShortage(error);
      return restError(error) ?? error;
    },
    // lite would grant everything on every table to the request roles here.
    ensureRlsContext: async () => true,
    async applyJwtSessionContext(db: Kysely<unknown>, { auth }: Vars) {
      const role = auth?.role || "anon";
      const claims = JSON.stringify(auth?.jwt ?? { role });
      await sql`select set_config('role', ${role}, true),
        set_config('statement_timeout', ${STATEMENT_TIMEOUT[role] ?? "8s"}, true),
        set_config('request.jwt.claims', ${claims}, true)`.execute(db);
    },
    async applyRpcRequestGucs(db: Kysely<unknown>, { method, path, requestHeaders = {} }: Rpc) {
      await sql`select set_config('response.status', '', true),
        set_config('response.headers', '', true),
        set_config('request.method', ${method}, true),
        set_config('request.path', ${path}, true),
        set_config('request.headers', ${JSON.stringify(requestHeaders)}, true)`.execute(db);
      // Postgres itself would heed it from the next statement on only.
      const timeout = timeouts.get(path.slice(path.lastIndexOf("/") + 1));
      if (timeout) await sql`select set_config('statement_timeout', ${timeout}, true)`.execute(db);
    },
  });
}

const SHORTAGES: Record<string, string> = {
  "53300": "The database has no connection left. Raise max_connections, or end what holds them.",
  POOL_TIMEOUT: `All ${POOL_SIZE} connections of the Data API have been busy for too long.`,
};
const REPORTED_EVERY_MS = 5_000;
let reportedAt = Number.NEGATIVE_INFINITY;

/** The callers get a 503; who runs this gets to know why. */
function reportShortage(error: unknown): void {
  const shortage = SHORTAGES[(error as { code?: string }).code ?? ""];
  if (!shortage || performance.now() - reportedAt < REPORTED_EVERY_MS) return;
  reportedAt = performance.now();
  log.error({ shortage }, "no connection to the database");
}

/**
 * lite reads information_schema, which shows `authenticator` nothing: it is a member of the request
 * roles by SET ROLE only.
 */
async function readCatalogue(ownerUrl: string) {
  const owner = new PostgresConnection({ url: ownerUrl, postgresOptions: { max: 1 } });
  try {
    const catalogue = await owner.introspect();
    // lite answers a failure with an empty catalogue.
    if (!catalogue.functions) throw new Error("The database's catalogue could not be read.");
    return { catalogue, timeouts: await readTimeouts(owner) };
  } finally {
    await owner.close();
  }
}

/**
 * What functions set for themselves, which PostgREST has hold from their call's beginning
 * (db-hoisted-tx-settings).
 */
async function readTimeouts({ kysely }: PostgresConnection): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; timeout: string }>`
    select p.proname as name, split_part(c, '=', 2) as timeout from pg_proc p cross join unnest(p.proconfig) c
    where p.pronamespace = 'public'::regnamespace and c like 'statement_timeout=%'`.execute(kysely);
  return new Map(rows.map(({ name, timeout }) => [name, timeout]));
}

/** lite serves a bearer that is no token at all as `anon`; PostgREST refuses it. */
function refuseBadBearer(jwtSecret: string) {
  const secret = new TextEncoder().encode(jwtSecret);
  return async (context: BearerContext, next: () => Promise<void>) => {
    const bearer = /^Bearer\s+(.*)$/i.exec(context.req.header("authorization") ?? "")?.[1];
    if (bearer === undefined || bearer === context.req.header("apikey")) return next();
    try {
      const { payload } = await jwtVerify(bearer, secret, { algorithms: ["HS256"] });
      // lite looks unknown users up in its own auth tables, which this app does not have.
      context.set("userId", payload.sub ?? "none");
      context.set("sessionId", "none");
    } catch (error) {
      const expired = error instanceof errors.JWTExpired;
      const problem = expired
        ? { code: "PGRST303", message: "JWT expired" }
        : { code: "PGRST301", message: "No suitable key or wrong key type" };
      return context.json({ ...problem, details: null, hint: null }, 401);
    }
    return next();
  };
}

type BearerContext = {
  req: { header(name: string): string | undefined };
  set(name: "userId" | "sessionId", value: string): void;
  json(body: object, status: 401): Response;
};
