import { decodeJwt, SignJWT } from "jose";
import type { Project } from "./project.ts";
import { type Check, ok, problem, unknown } from "./run-checks.ts";

const TIMEOUT_MS = 10_000;
/** Our schemas that the Data API must not expose. */
const HIDDEN_SCHEMAS = ["private", "graphile_worker", "supabase_migrations"];

export const dataApiChecks: readonly Check[] = [
  {
    name: "Publishable key",
    run: ({ publishableKey }) =>
      checkKey("SUPABASE_PUBLISHABLE_KEY", publishableKey, "publishable", "anon"),
  },
  {
    name: "Secret key",
    run: ({ secretKey }) => checkKey("SUPABASE_SECRET_KEY", secretKey, "secret", "service_role"),
  },
  { name: "Data API", run: checkDataApi },
  { name: "JWT secret", run: checkJwtSecret },
  { name: "Exposed schemas", run: checkExposedSchemas },
];

/** The kind of a key: by its prefix `sb_<kind>_…`, or for older keys by the role in the token. */
async function checkKey(variable: string, key: string, kind: string, role: string) {
  const actual = kindOf(key);
  if (actual === kind || actual === role) return ok(`${variable} is a key of the kind ${actual}`);
  return problem(
    `${variable} is ${actual ? `a key of the kind ${actual}` : "no key of a Supabase project"}`,
    `Set it to the project's ${kind} key (Project settings, API keys).`,
  );
}

function kindOf(key: string): string | undefined {
  const [, kind] = /^sb_(publishable|secret)_/.exec(key) ?? [];
  if (kind) return kind;
  try {
    return String(decodeJwt(key).role);
  } catch {
    return undefined;
  }
}

async function checkDataApi(project: Project) {
  const response = await callGetMe(project, await token(project));
  if (response.status === 404) {
    return problem(
      "it doesn't know get_me",
      "Run npm start once to apply the migrations, then reload its cache: notify pgrst, " +
        "'reload schema'.",
    );
  }
  if (response.status >= 500)
    return problem(
      `it answers ${response.status}`,
      "Look at the project's status and its API logs.",
    );
  return ok(`answers at ${project.url}`);
}

/** The Data API must accept a token that we signed, and reject one signed with another secret. */
async function checkJwtSecret(project: Project) {
  const [ours, another] = await Promise.all([
    callGetMe(project, await token(project)),
    callGetMe(project, await token({ jwtSecret: `${project.jwtSecret}?` })),
  ]);
  if (ours.status === 401) {
    return problem(
      "the Data API rejects tokens signed with SUPABASE_JWT_SECRET",
      "Set it to the project's JWT secret (Project settings, JWT keys, legacy secret).",
    );
  }
  if (another.status !== 401)
    return problem(
      "the Data API accepts a token signed with another secret",
      "Don't serve anything with this project: replace its JWT secret.",
    );
  return ok("the Data API accepts it, and no other secret");
}

async function checkExposedSchemas(project: Project) {
  const bearer = await token(project);
  const responses = await Promise.all(
    HIDDEN_SCHEMAS.map(async (schema) => {
      const { status } = await readTable(project, schema, bearer);
      return { schema, status };
    }),
  );
  // PostgREST returns 406 for a schema that is not exposed. A stack with only one schema looks up
  // the table there: 404.
  const unsure = responses.filter(({ status }) => status === 401 || status >= 500);
  if (unsure.length > 0) return unknown("the Data API doesn't answer");
  const exposed = responses
    .filter(({ status }) => status !== 406 && status !== 404)
    .map(({ schema }) => schema);
  if (exposed.length === 0) return ok("only public is exposed");
  return problem(
    `${exposed.join(", ")} can be reached`,
    "Remove them from the exposed schemas (Project settings, Data API).",
  );
}

/** Calls get_me, which every accepted credential may call. */
function callGetMe(project: Project, bearer: string): Promise<Response> {
  return request(project, "/rest/v1/rpc/get_me", bearer, {
    method: "POST",
    body: JSON.stringify({ input: {}, request: {} }),
  });
}

/** Reads a table of a schema, which works if the schema is exposed. */
function readTable(project: Project, schema: string, bearer: string): Promise<Response> {
  return request(project, "/rest/v1/heartbeats", bearer, { headers: { "Accept-Profile": schema } });
}

function request(
  { url, publishableKey }: Project,
  path: string,
  bearer: string,
  { headers, ...init }: RequestInit,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    ...init,
    headers: {
      apikey: publishableKey,
      Authorization: `Bearer ${bearer}`,
      "Content-Type": "application/json",
      ...headers,
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

/** A caller without a user or a tenant, which may do nothing. */
function token({ jwtSecret }: Pick<Project, "jwtSecret">): Promise<string> {
  return new SignJWT({ role: "authenticated" })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setExpirationTime("60s")
    .sign(new TextEncoder().encode(jwtSecret));
}
