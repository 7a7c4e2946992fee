import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, install, isBuilt, NODE, ROOT } from "./setup.mjs";
import { showsSteps, step } from "./steps.mjs";

const dev = process.argv.includes("--dev");

try {
  await step("Installing packages", () => install({ dev }));
  // Only web processes serve the build. The tests check its types.
  if (!dev && process.env.WEB_CONCURRENCY !== "0" && !isBuilt())
    await step("Building the app", () => build({ typesAreChecked: true }));
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
if (showsSteps) {
  const reached = (name) =>
    new Promise((done) => {
      supervisor.on("message", (message) => message.step === name && done());
      supervisor.once("exit", done);
    });
  const steps = {
    "Starting the database": reached("database"),
    "Starting the service": reached("ready"),
  };
  void (async () => {
    for (const [label, done] of Object.entries(steps)) {
      await step(label, () => done);
      if (supervisor.connected) supervisor.send("shown");
    }
  })();
}
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"])
  process.on(signal, () => supervisor.kill(signal));
supervisor.once("exit", (code, signal) => process.exit(signal ? 1 : code));
