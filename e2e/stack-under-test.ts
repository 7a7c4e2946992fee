/** The address and start command of a stack for the tests. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../supervisor/ports.ts";
import { until } from "./until.ts";

const PROCESS = fileURLToPath(new URL("stack-process.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));

const READY_TIMEOUT_MS = 120_000;

/** Variables of the developer's environment that belong to another stack. */
const STACK_VARIABLES =
  /^(SUPABASE_|AUTH_|AUDIT_|NEXTAUTH_|OIDC_|SESSION_|RATE_LIMIT_|WEBHOOK_|INBOX_|ENCRYPTION_KEYS$|(?:REQUEST_)?DATABASE_URL$|DIRECT_URL$|(?:WEB|WORKER)_CONCURRENCY$|METRICS_TOKEN$|SMTP_URL$|MAIL_|DATA_DIR$|PORT$|HOST$|TRUSTED_PROXY_HOPS$)/;

/**
 * Tests call more often than the limits allow; tests of the limits set their own. Webhook receivers
 * run on this machine, changed roles take effect after a second, and tests receive mail themselves.
 */
const TEST_SETTINGS = {
  RATE_LIMIT_PER_MINUTE: "0",
  AUTH_FAILURES_PER_MINUTE: "0",
  SESSION_CHECK_SECONDS: "1",
  WEBHOOK_ALLOW_HOSTS: "127.0.0.1,localhost",
  INBOX_DOMAIN: "files.tieout.example",
};

/** `env` configures the stack and tells tests where it is. */
export type StackUnderTest = { command: string[]; env: Record<string, string>; url: string };

/**
 * A stack in a new directory, not started yet. Further calls, also in child processes, return the
 * same one.
 */
export async function stackUnderTest(name: string): Promise<StackUnderTest> {
  const variableName = `TIEOUT_STACK_${name.toUpperCase()}`;
  if (!process.env[variableName]) {
    // `REQUEST_DATABASE_URL= npm test` runs the same tests on a stack that uses the Data API.
    const byDataApi: Record<string, string> =
      process.env.REQUEST_DATABASE_URL === "" ? { REQUEST_DATABASE_URL: "" } : {};
    for (const variable of Object.keys(process.env))
      if (STACK_VARIABLES.test(variable)) delete process.env[variable];
    process.env[variableName] = JSON.stringify(await freshStack(name, byDataApi));
  }
  return JSON.parse(process.env[variableName] as string);
}

/** Starts the stack and waits until it is ready. @returns a function that stops it */
export async function startStack({
  command: [program = "", ...args],
  env,
  url,
}: StackUnderTest): Promise<() => Promise<void>> {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await until(
    "the stack under test is ready",
    async () => {
      if (child.exitCode !== null) throw new Error("The stack under test did not start.");
      return isReady({ url });
    },
    READY_TIMEOUT_MS,
  );
  return async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  };
}

export function isReady({ url }: Pick<StackUnderTest, "url">): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freshStack(
  name: string,
  byDataApi: Record<string, string>,
): Promise<StackUnderTest> {
  const port = await freePort();
  const env = {
    ...TEST_SETTINGS,
    ...byDataApi,
    ...(await oidcProvider()),
    DATA_DIR: mkdtempSync(join(tmpdir(), `tieout-${name}-`)),
    PORT: String(port),
  };
  return {
    command: [process.execPath, PROCESS, `test-results/${name}-stack.log`],
    env,
    url: `http://localhost:${port}`,
  };
}

/** An identity provider to sign in with, simulated by e2e/ui/oidc.spec.ts. */
async function oidcProvider(): Promise<Record<string, string>> {
  return {
    OIDC_PROVIDERS: "corp",
    OIDC_CORP_NAME: "Corp",
    OIDC_CORP_ISSUER: `http://localhost:${await freePort()}`,
    OIDC_CORP_CLIENT_ID: "tieout",
    OIDC_CORP_CLIENT_SECRET: randomBytes(24).toString("base64url"),
  };
}
