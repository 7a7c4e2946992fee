/** A stack for the tests alone: where it is, and how it is started. */
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

/** What a person's own environment says of another stack. */
const OF_A_STACK =
  /^(SUPABASE_|AUTH_|AUDIT_|NEXTAUTH_|OIDC_|SESSION_|RATE_LIMIT_|WEBHOOK_|ENCRYPTION_KEYS$|(?:REQUEST_)?DATABASE_URL$|DIRECT_URL$|(?:WEB|WORKER)_CONCURRENCY$|METRICS_TOKEN$|SMTP_URL$|MAIL_|DATA_DIR$|PORT$|HOST$|TRUSTED_PROXY_HOPS$)/;

/** Tests send more than any caller may; those of the limits set their own. Receivers of webhooks listen on this machine. What changes of a person's roles shows at once. */
const FOR_TESTS = {
  RATE_LIMIT_PER_MINUTE: "0",
  AUTH_FAILURES_PER_MINUTE: "0",
  SESSION_CHECK_SECONDS: "1",
  WEBHOOK_ALLOW_HOSTS: "127.0.0.1,localhost",
};

/** `env`: what its tests find it by, and it is configured by. */
export type StackUnderTest = { command: string[]; env: Record<string, string>; url: string };

/** A stack on a directory of its own, not started yet. Asked for again, here or in a child process, the answer is the same one. */
export async function stackUnderTest(name: string): Promise<StackUnderTest> {
  const kept = `TIEOUT_STACK_${name.toUpperCase()}`;
  if (!process.env[kept]) {
    // REQUEST_DATABASE_URL= npm test: the same tests on a stack that calls by the Data API.
    const byDataApi: Record<string, string> =
      process.env.REQUEST_DATABASE_URL === "" ? { REQUEST_DATABASE_URL: "" } : {};
    for (const variable of Object.keys(process.env))
      if (OF_A_STACK.test(variable)) delete process.env[variable];
    process.env[kept] = JSON.stringify(await freshStack(name, byDataApi));
  }
  return JSON.parse(process.env[kept] as string);
}

/** Starts it and waits until it is ready. @returns a function that ends it. */
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
    ...FOR_TESTS,
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

/** A provider to sign in with, which e2e/ui/oidc.spec.ts plays. */
async function oidcProvider(): Promise<Record<string, string>> {
  return {
    OIDC_PROVIDERS: "corp",
    OIDC_CORP_NAME: "Corp",
    OIDC_CORP_ISSUER: `http://localhost:${await freePort()}`,
    OIDC_CORP_CLIENT_ID: "tieout",
    OIDC_CORP_CLIENT_SECRET: randomBytes(24).toString("base64url"),
  };
}
