import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { until } from "#e2e/until.ts";
import { freePort } from "../../supervisor/ports.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const ROOT = join(import.meta.dirname, "../..");
const DATA_DIR = freshDataDir();
const TOKEN = "prometheus-reads-this-and-nobody-else";

type Manifest = {
  spec: {
    template: {
      spec: { containers: { args: string[]; readinessProbe?: { httpGet: { path: string } } }[] };
    };
  };
};

/** The only variables that each pod gets, as the comment in its manifest states. */
const VARIABLES = {
  web: /^(SUPABASE_|REQUEST_DATABASE_URL|AUTH_|AUDIT_PUBLIC_KEYS|NEXTAUTH_SECRET|ENCRYPTION_KEYS)/,
  worker: /^(DATABASE_URL|ENCRYPTION_KEYS|AUDIT_SIGNING_KEY|NEXTAUTH_URL)$/,
  matcher: /^DATABASE_URL$/,
  migrate: /^DATABASE_URL$/,
};
type Part = keyof typeof VARIABLES;

let stack: Supervisor;
let project: Project;
const started: ChildProcess[] = [];

beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR });
  project = new Project(stack, DATA_DIR);
});
afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await stack.end("SIGTERM");
});

const containerOf = (part: Part) => {
  const [manifest] = parseAllDocuments(
    readFileSync(join(ROOT, `ops/kubernetes/${part}.yaml`), "utf8"),
  );
  const manifested: Manifest | undefined = manifest?.toJS();
  const container = manifested?.spec.template.spec.containers[0];
  if (!container) throw new Error(`${part} has no container.`);
  return container;
};

/** Starts a pod's command as its container does, with Node, its arguments and its variables. */
function start(part: Part, own: Record<string, string>): ChildProcess {
  const passed = Object.entries(project.env).filter(([name]) => VARIABLES[part].test(name));
  const image = {
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    HOST: "127.0.0.1",
    METRICS_TOKEN: TOKEN,
  };
  const child = spawn(process.execPath, containerOf(part).args, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      ...image,
      ...Object.fromEntries(passed),
      ...own,
    } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "ignore", "inherit"],
  });
  started.push(child);
  return child;
}

test.each(["web", "worker", "matcher"] as const)(
  "the command of %s becomes ready, serves its metrics, and stops on request",
  async (part) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = start(
      part,
      part === "web" ? { PORT: String(port), NEXTAUTH_URL: url } : { METRICS_PORT: String(port) },
    );
    const ready = `${url}${containerOf(part).readinessProbe?.httpGet.path}`;
    await until(
      `${part} to be ready`,
      () =>
        fetch(ready).then(
          ({ ok }) => ok,
          () => false,
        ),
      120_000,
    );
    const metrics = await fetch(`${url}/metrics`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    expect([metrics.status, await metrics.text()]).toEqual([
      200,
      expect.stringContaining("process_resident_memory_bytes"),
    ]);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  },
);

test("the migrate command succeeds if there is nothing to do", async () => {
  const child = start("migrate", {});
  expect(await once(child, "exit")).toEqual([0, null]);
});
