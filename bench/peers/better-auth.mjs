/**
 * Verification by @better-auth/api-key as its README sets it up, in a separate schema of the same
 * Postgres. Its rate limits are off, because they write on each call.
 */
import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import pg from "pg";

const SCHEMA = "bench_better_auth";

/** @returns this many keys, and a function that verifies one of them. */
export async function betterAuthKeys(connectionString, connections, count) {
  const owner = new pg.Client(connectionString);
  await owner.connect();
  await owner.query(`drop schema if exists ${SCHEMA} cascade`);
  await owner.query(`create schema ${SCHEMA}`);
  const database = new pg.Pool({
    connectionString,
    max: connections,
    options: `-c search_path=${SCHEMA}`,
  });
  const options = {
    database,
    secret: "what signs nothing that is measured here",
    baseURL: "http://localhost",
    emailAndPassword: { enabled: true },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [apiKey({ rateLimit: { enabled: false } })],
  };
  await (await getMigrations(options)).runMigrations();
  const { api } = betterAuth(options);
  const { user } = await api.signUpEmail({
    body: { email: "ada@acme.example", password: "tieout-demo", name: "Ada" },
  });
  const keys = [];
  while (keys.length < count)
    keys.push(
      (await api.createApiKey({ body: { userId: user.id, name: `key ${keys.length}` } })).key,
    );
  return {
    keys,
    async verify(key) {
      const { valid, error } = await api.verifyApiKey({ body: { key } });
      if (!valid) throw new Error(error?.message);
    },
    async stop() {
      await database.end();
      await owner.query(`drop schema ${SCHEMA} cascade`);
      await owner.end();
    },
  };
}
