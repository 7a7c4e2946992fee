import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE, ROOT } from "./setup.mjs";

/** Every suite answers how many tests passed and failed. One that breaks before it can tell counts as one failure. */
export async function verify() {
  const ok = await succeeds("bin/verify.ts", []);
  return { passed: Number(ok), failed: Number(!ok) };
}

export async function vitest(project, args) {
  const report = reportFile();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ok = await succeeds("node_modules/vitest/vitest.mjs", ["run", "--project", project, ...reporters, ...args]);
  return counts(ok, report, ({ numPassedTests, numFailedTests }) => ({ passed: numPassedTests, failed: numFailedTests }));
}

/** A test that passed when it was tried again has failed. */
export async function playwright(args) {
  const report = reportFile();
  const ok = await succeeds("node_modules/@playwright/test/cli.js", ["test", ...args], { PLAYWRIGHT_JSON_OUTPUT_NAME: report });
  return counts(ok, report, ({ stats }) => ({ passed: stats.expected, failed: stats.unexpected + stats.flaky }));
}

function counts(ok, report, read) {
  const { passed, failed } = existsSync(report) ? read(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 0 };
  return { passed, failed: ok ? failed : Math.max(1, failed) };
}

/** What a suite says is printed when it ends: suites run side by side. */
function succeeds(script, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(NODE, [join(ROOT, script), ...args], {
      cwd: ROOT,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk));
    child.once("error", (error) => said.push(error.message));
    child.once("close", (code) => {
      process.stdout.write(Buffer.concat(said));
      done(code === 0);
    });
  });
}

function reportFile() {
  return join(mkdtempSync(join(tmpdir(), "tieout-report-")), "report.json");
}
