import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDataDir } from "./data-dir.ts";
import { Supervisor, stackOf } from "./supervisor.ts";

const HOSTED = {
  SUPABASE_URL: "https://project.supabase.example",
  SUPABASE_PUBLISHABLE_KEY: "x",
  SUPABASE_SECRET_KEY: "x",
  SUPABASE_JWT_SECRET: "x".repeat(32),
  DATABASE_URL: "postgresql://postgres:x@127.0.0.1:1/postgres",
};

/** The addresses that listen on a port, in Linux's format: IPv4 with reversed bytes. */
function listening(port: number): string[] {
  const found: string[] = [];
  for (const table of ["tcp", "tcp6"]) {
    for (const line of readFileSync(`/proc/net/${table}`, "utf8").split("\n").slice(1)) {
      const [, local = "", , state] = line.trim().split(/\s+/);
      const [address = "", hex = ""] = local.split(":");
      if (state !== "0A" || Number.parseInt(hex, 16) !== port) continue;
      found.push(table === "tcp6" ? address : Buffer.from(address, "hex").reverse().join("."));
    }
  }
  return found;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("while a stack runs", () => {
  const DATA_DIR = freshDataDir();
  let stack: Supervisor;
  beforeAll(async () => {
    stack = await Supervisor.ready({ DATA_DIR });
  });
  afterAll(() => stack.end("SIGTERM"));

  test("only the owner can read its secrets", () => {
    expect(modeOf(DATA_DIR)).toBe("700");
    for (const file of ["secrets.json", "stack.json"])
      expect(modeOf(join(DATA_DIR, file))).toBe("600");
  });

  test("it listens on this machine alone", async () => {
    expect(listening(stack.port)).toEqual(["127.0.0.1"]);
  });

  test("each process has only the secrets that it needs", () => {
    const { DATABASE_URL = "", ...secrets } = stackOf(DATA_DIR).env;
    const holders = (secret: string) =>
      ["web", "worker", "matcher", "data-api"].filter((part) =>
        readFileSync(`/proc/${stack.pidOf(part)}/environ`, "utf8").includes(secret),
      );
    const holdersOf = (name: string) => holders(secrets[name] ?? "none of that name");
    expect(holders(new URL(DATABASE_URL).password)).toEqual(["worker", "matcher", "data-api"]);
    expect(holdersOf("AUDIT_SIGNING_KEY")).toEqual(["worker"]);
    expect(holdersOf("ENCRYPTION_KEYS")).toEqual(["web", "worker"]);
    expect(holdersOf("SUPABASE_JWT_SECRET")).toEqual(["web", "data-api"]);
    for (const name of ["NEXTAUTH_SECRET", "AUTH_JWT_SECRET"])
      expect(holdersOf(name), name).toEqual(["web"]);
  });

  test("a start with its variables uses it and starts no database", async () => {
    const project = Object.fromEntries(
      Object.entries(stackOf(DATA_DIR).env).filter(([name]) =>
        /^(SUPABASE_|DATABASE_URL$)/.test(name),
      ),
    );
    const second = await Supervisor.ready({ DATA_DIR: freshDataDir(), ...project });

    expect(await second.get("/readyz")).toBe(200);
    expect([second.pidOf("postgres"), second.pidOf("data-api")]).toEqual([Number.NaN, Number.NaN]);

    expect(await second.end("SIGTERM")).toBe(0);
  });

  test("a second start on its DATA_DIR is refused and leaves it alone", async () => {
    const second = await Supervisor.start({ DATA_DIR });

    expect(await second.end()).toBe(1);

    expect(second.fatal).toContain("is already running");
    expect(await stack.get("/readyz")).toBe(200);
  });

  test("a start on its PORT is refused before anything is started", async () => {
    const second = await Supervisor.start({ DATA_DIR: freshDataDir(), PORT: String(stack.port) });

    expect(await second.end()).toBe(1);

    expect(second.fatal).toBe(
      `Port ${stack.port} is in use. Stop the process listening there, or set another PORT.`,
    );
    expect(second.pids.some(Number.isInteger)).toBe(false);
  });
});

test("secrets are generated once, and configured ones win", async () => {
  const DATA_DIR = freshDataDir();
  const AUTH_JWT_SECRET = "a secret that is given and long enough";
  const secrets = () => readFileSync(join(DATA_DIR, "secrets.json"), "utf8");
  const first = await Supervisor.ready({ DATA_DIR, AUTH_JWT_SECRET });
  const generated = secrets();
  expect(stackOf(DATA_DIR).env.AUTH_JWT_SECRET).toBe(AUTH_JWT_SECRET);
  await first.end("SIGTERM");

  const second = await Supervisor.ready({ DATA_DIR });
  expect(secrets()).toBe(generated);
  expect(second.entries.some(({ msg }) => msg === "demonstration data seeded")).toBe(false);
  await second.end("SIGTERM");

  rmSync(join(DATA_DIR, "secrets.json"));
  const third = await Supervisor.start({ DATA_DIR });
  expect(await third.end()).toBe(1);
  expect(third.fatal).toContain("created with other secrets");
});

describe("settings that stop the start", () => {
  test.each([
    [
      "a secret under 32 bytes",
      { AUTH_JWT_SECRET: "short" },
      "AUTH_JWT_SECRET is shorter than 32 bytes",
    ],
    [
      "a METRICS_TOKEN under 32 bytes",
      { METRICS_TOKEN: "short" },
      "METRICS_TOKEN is shorter than 32 bytes",
    ],
    ["no number of processes", { WORKER_CONCURRENCY: "two" }, 'WORKER_CONCURRENCY is "two"'],
    ["more processes than make sense", { WEB_CONCURRENCY: "65" }, 'WEB_CONCURRENCY is "65"'],
    [
      "a hosted Supabase project without https",
      { ...HOSTED, NEXTAUTH_URL: "http://tieout.example" },
      "NEXTAUTH_URL has to be the dashboard's https address",
    ],
    [
      "a hosted Supabase project without its database",
      { ...HOSTED, NEXTAUTH_URL: "https://tieout.example" },
      "DATABASE_URL does not lead to a database",
    ],
    [
      "another's keys without an audience",
      { AUTH_JWT_JWKS_URL: "https://idp.example/jwks", AUTH_JWT_ISSUER: "https://idp.example" },
      "AUTH_JWT_AUDIENCE is required",
    ],
    ["no port number", { PORT: "http" }, 'PORT is "http"'],
    [
      "a host of receivers with its port",
      { WEBHOOK_ALLOW_HOSTS: "10.0.0.1,hooks.corp:8443" },
      "WEBHOOK_ALLOW_HOSTS must be host names or addresses, comma-separated, without scheme, " +
        'port or path; "hooks.corp:8443" isn\'t one',
    ],
    [
      "a host of receivers that is a URL",
      { WEBHOOK_ALLOW_HOSTS: "http://hooks.corp" },
      "WEBHOOK_ALLOW_HOSTS must be",
    ],
    [
      "a Supabase project without all of its variables",
      { SUPABASE_URL: "http://127.0.0.1:1", SUPABASE_SECRET_KEY: "x", DATABASE_URL: "x" },
      "SUPABASE_PUBLISHABLE_KEY, SUPABASE_JWT_SECRET are missing",
    ],
  ])("%s", async (_what, env, message) => {
    const stack = await Supervisor.start({ DATA_DIR: freshDataDir(), ...env });

    expect(await stack.end()).toBe(1);

    expect(stack.fatal).toContain(message);
    expect(stack.pids.some(Number.isInteger)).toBe(false);
  });
});
