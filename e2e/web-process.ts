/**
 * A second web process on the stack under test, or several on one port, with different variables.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { stackEnvironment } from "../supervisor/stack-file.ts";

export type WebProcess = { url: string; output: () => string; stop: () => Promise<void> };

export async function startWebProcess(variables: Record<string, string> = {}): Promise<WebProcess> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  // A test that names a Data API wants it to be called.
  const byDataApi = "SUPABASE_URL" in variables ? { REQUEST_DATABASE_URL: "" } : {};
  const main = variables.WEB_CONCURRENCY ? "processes" : "main";
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`../server/${main}.ts`, import.meta.url))],
    {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: {
        ...process.env,
        ...stackEnvironment(),
        // As the supervisor does: a third of the start would go into compiling unchanged files.
        NODE_COMPILE_CACHE: fileURLToPath(new URL("../.next/compiled", import.meta.url)),
        NODE_ENV: "production",
        PORT: String(port),
        NEXTAUTH_URL: url,
        ...byDataApi,
        ...variables,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output += chunk));
  await answers(child, `${url}/healthz`).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  return {
    url,
    output: () => output,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      // Including everything that it printed.
      await once(child, "close");
    },
  };
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  for (const deadline = Date.now() + 50_000; Date.now() < deadline; ) {
    if (child.exitCode !== null) throw new Error(`The web process ended with ${child.exitCode}.`);
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill("SIGKILL");
  throw new Error("The web process did not answer in time.");
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  if (typeof address !== "object" || !address) throw new Error("no port");
  return address.port;
}
