/** A Supabase of one process: `/rest/v1` and `/auth/v1` behind one address. */
import { serve } from "@hono/node-server";
import { log } from "#lib/runtime/log.ts";
import { authApp } from "./auth.ts";
import { reservedConnection } from "./exclusive-connections.ts";
import { restApp } from "./rest.ts";

// lite reports every refused statement here, row values included. The caller gets the error; the
// log gets errors that no caller gets.
console.error = (...args: unknown[]) => {
  for (const error of args)
    if (error instanceof Error) log.warn({ reason: error.message }, "lite reports an error");
};

/** /readyz and /metrics: they report a full pool best from outside of it. */
const OPERATORS = new Set(["/rest/v1/rpc/readiness", "/rest/v1/rpc/service_metrics"]);

const port = Number(required("DATA_API_PORT"));
const keys = {
  jwtSecret: required("SUPABASE_JWT_SECRET"),
  publishableKey: required("SUPABASE_PUBLISHABLE_KEY"),
  secretKey: required("SUPABASE_SECRET_KEY"),
};
const rest = await restApp({
  ...keys,
  authenticatorUrl: required("AUTHENTICATOR_URL"),
  ownerUrl: required("CATALOGUE_URL"),
});
const auth = await authApp({
  ...keys,
  authAdminUrl: required("AUTH_ADMIN_URL"),
  issuer: `http://127.0.0.1:${port}/auth/v1`,
});

const server = serve({ hostname: "127.0.0.1", port, fetch: route }, () => {
  log.info({ port }, "listening");
  process.send?.("ready");
});

function route(request: Request): Promise<Response> | Response {
  const { pathname } = new URL(request.url);
  if (OPERATORS.has(pathname)) return reservedConnection.run(true, () => rest.fetch(request));
  if (pathname.startsWith("/rest/v1/")) return rest.fetch(request);
  if (pathname.startsWith("/auth/v1/")) return auth.fetch(request);
  return new Response(null, { status: 404 });
}

process.once("SIGTERM", () => server.close(() => process.exit(0)));

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
