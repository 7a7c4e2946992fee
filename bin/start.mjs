import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, install, NODE, ROOT } from "./setup.mjs";

const dev = process.argv.includes("--dev");

try {
  await install();
  // Only web processes serve the build.
  if (!dev && process.env.WEB_CONCURRENCY !== "0") await build();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

// The channel closes when this process ends, which stops the supervisor. Its own process group
// ensures that it gets each signal only from here.
const supervisor = spawn(NODE, [join(ROOT, "supervisor/main.ts"), ...(dev ? ["--dev"] : [])], {
  cwd: ROOT,
  detached: true,
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"])
  process.on(signal, () => supervisor.kill(signal));
supervisor.once("exit", (code, signal) => process.exit(signal ? 1 : code));
