import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { until } from "#e2e/until.ts";
import { HEAP, MALLOC_ENV } from "../../supervisor/heap-sizes.ts";
import { freePort } from "../../supervisor/ports.ts";
import { stackEnvironment } from "../../supervisor/stack-file.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BARE = "bench/ratios/bare/main.mjs";
const READY_TIMEOUT_MS = 60_000;

/** `pid`: of the process that listens; if several do, of their primary. */
export type Server = { url: string; pid: number; stop: () => Promise<void> };

/**
 * Starts the service's web process on the stack under test as the supervisor does, on its own port
 * and without rate limits.
 */
export function startService(variables: Record<string, string> = {}): Promise<Server> {
  const several = Number(variables.WEB_CONCURRENCY ?? 1) > 1;
  return start([...HEAP.web, several ? "server/processes.ts" : "server/main.ts"], {
    RATE_LIMIT_PER_MINUTE: "0",
    ...variables,
  });
}

/** Starts the service for as long as `work` takes. */
export async function withService<Result>(
  work: (service: Server) => Promise<Result>,
): Promise<Result> {
  const service = await startService();
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Starts the bare handlers, which respond with the bytes in this file. */
export function startBare(bodiesFile: string): Promise<Server> {
  return start([BARE], { BARE_BODIES: bodiesFile });
}

async function start(command: string[], variables: Record<string, string>): Promise<Server> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const child: ChildProcess = spawn(process.execPath, command, {
    cwd: ROOT,
    env: {
      ...process.env,
      ...stackEnvironment(),
      NODE_ENV: "production",
      ...MALLOC_ENV,
      PORT: String(port),
      NEXTAUTH_URL: url,
      ...variables,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await until(
    `${command} answers`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}.`);
      return fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    READY_TIMEOUT_MS,
  );
  return {
    url,
    pid: child.pid as number,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
