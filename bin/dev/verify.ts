/** `npm run verify`: every check of the code that doesn't run it. The gate leaves out three. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = [
  "app",
  "bin",
  "components",
  "e2e",
  "bench",
  "engine",
  "lib",
  "sdk",
  "server",
  "supabase",
  "supervisor",
  "worker",
];

/** Commands in a step run one after another; steps run at the same time. */
const STEPS: Record<string, string[][]> = {
  "format and lint": [["biome", "check", "--error-on-warnings", "."]],
  types: [
    ["next", "typegen"],
    // One checker: several check the same types again, which costs twice the processor time.
    ["tsc", "--noEmit", "--checkers", "1"],
  ],
  "import rules": [
    [
      "depcruise",
      "--config",
      ".dependency-cruiser.cjs",
      ...FOLDERS.filter((folder) => existsSync(join(ROOT, folder))),
    ],
  ],
  "dead code": [["knip"]],
  "plain English": [["node", "bin/dev/style.ts"]],
  spelling: [
    [
      "cspell",
      "lint",
      "--no-progress",
      "--no-summary",
      "--quiet",
      "--cache",
      "--cache-location=node_modules/.cache/cspell",
      ".",
    ],
  ],
  "breaks have their places": [["node", "e2e/mutations/run.ts", "--check"]],
  "attacks have their tests": [["node", "e2e/abuse/run.ts", "--check"]],
  "faults have their drills": [["node", "e2e/faults/run.ts", "--check"]],
  "generated files are current": [
    [
      "node",
      "bin/dev/generate.ts",
      "--check",
      "operations",
      "rules",
      "configuration",
      "environment",
      "openapi",
      "sdk-types",
      "sdk-operations",
      "python-types",
      "python-resources",
    ],
  ],
  "openapi.json is valid": [["redocly", "lint", "--max-problems=1000"]],
};

const ENV = {
  ...process.env,
  PATH: [join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter),
  NEXT_TELEMETRY_DISABLED: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
};

type Outcome = { passed: boolean; output: string };

/** What these steps find hurts no user the same day, and they take a quarter of the time. */
const NOT_IN_THE_GATE = ["import rules", "dead code", "spelling"];

const isGate = process.env.TIEOUT_TESTS === "gate";
const pendingSteps = Object.entries(STEPS).filter(
  ([name]) => !isGate || !NOT_IN_THE_GATE.includes(name),
);
const stepCount = pendingSteps.length;
let failed = 0;
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
if (failed > 0) console.error(`\n${failed} of ${stepCount} checks failed.`);
process.exitCode = failed > 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let step = pendingSteps.shift(); step; step = pendingSteps.shift()) {
    const [name, commands] = step;
    const startedAt = performance.now();
    const { passed, output } = await inOrder(commands);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${passed ? "✓" : "✗"} ${name} (${seconds} s)`);
    if (passed) continue;
    failed += 1;
    console.log(output.trimEnd().replaceAll(/^/gm, "    "));
  }
}

async function inOrder(commands: string[][]): Promise<Outcome> {
  for (const command of commands) {
    const outcome = await run(command);
    if (!outcome.passed) return outcome;
  }
  return { passed: true, output: "" };
}

function run([program = "", ...args]: string[]): Promise<Outcome> {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: ROOT, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", (error) => done({ passed: false, output: error.message }));
    child.once("close", (code) => done({ passed: code === 0, output }));
  });
}
