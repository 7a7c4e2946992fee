import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { NODE, ROOT } from "./setup.mjs";

export const STACK_LOG = "test-results/stack.log";

/** Tests send more than any caller may; those of the limits set their own. Receivers of webhooks listen on this machine. What changes of a person's roles shows at once. */
const FOR_TESTS = {
  RATE_LIMIT_PER_MINUTE: "0",
  AUTH_FAILURES_PER_MINUTE: "0",
  SESSION_CHECK_SECONDS: "1",
  WEBHOOK_ALLOW_HOSTS: "127.0.0.1,localhost",
};

/** A provider to sign in with, which e2e/ui/oidc.spec.ts plays. */
async function oidcProvider() {
  return {
    OIDC_PROVIDERS: "corp",
    OIDC_CORP_NAME: "Corp",
    OIDC_CORP_ISSUER: `http://localhost:${await freePort()}`,
    OIDC_CORP_CLIENT_ID: "tieout",
    OIDC_CORP_CLIENT_SECRET: randomBytes(24).toString("base64url"),
  };
}

/** Starts a separate stack on a temporary DATA_DIR. `env` tells the tests where it is. */
export async function startTestStack() {
  const dataDir = mkdtempSync(join(tmpdir(), "tieout-test-"));
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  const oidc = await oidcProvider();
  const supervisor = spawn(NODE, [join(ROOT, "supervisor/main.ts")], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, ...FOR_TESTS, ...oidc, DATA_DIR: dataDir, PORT: String(await freePort()) },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  supervisor.stdout.pipe(createWriteStream(join(ROOT, STACK_LOG)));
  await ready(supervisor);
  const { url, env } = JSON.parse(readFileSync(join(dataDir, "stack.json"), "utf8"));
  return {
    env: { ...env, ...oidc, TIEOUT_URL: url },
    async stop() {
      supervisor.kill("SIGTERM");
      if (supervisor.exitCode === null) await once(supervisor, "exit");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function ready(supervisor) {
  return new Promise((done, fail) => {
    createInterface({ input: supervisor.stdout }).on("line", (line) => {
      const { msg, part, level } = JSON.parse(line);
      if (part === "supervisor" && msg === "ready") done();
      if (level === "fatal") console.error(msg);
    });
    supervisor.once("exit", () => fail(new Error(`The test stack didn't start: see ${STACK_LOG}.`)));
  });
}

async function freePort() {
  const probe = createServer().listen(0);
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  return port;
}
