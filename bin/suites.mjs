import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "./chromium.mjs";
import { NODE, ROOT, run } from "./setup.mjs";

/** Every suite answers how many tests passed and failed. One that breaks before it can tell counts as one failure. */
export async function verify() {
  const ok = await succeeds("bin/verify.ts", [], {});
  return { passed: Number(ok), failed: Number(!ok) };
}

export async function vitest(project, args, env) {
  const report = reportFile();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ok = await succeeds("node_modules/vitest/vitest.mjs", ["run", "--project", project, ...reporters, ...args], env);
  return counts(ok, report, ({ numPassedTests, numFailedTests }) => ({ passed: numPassedTests, failed: numFailedTests }));
}

export async function playwright(args, env) {
  const report = reportFile();
  const reporting = { PLAYWRIGHT_JSON_OUTPUT_NAME: report, CHROMIUM_PATH: await findChromium() };
  const ok = await succeeds("node_modules/@playwright/test/cli.js", ["test", "--reporter=list,json", ...args], { ...env, ...reporting });
  return counts(ok, report, ({ stats }) => ({ passed: stats.expected + stats.flaky, failed: stats.unexpected }));
}

function counts(ok, report, read) {
  const { passed, failed } = existsSync(report) ? read(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 0 };
  return { passed, failed: ok ? failed : Math.max(1, failed) };
}

function succeeds(script, args, env) {
  return run(NODE, [join(ROOT, script), ...args], { env, stdio: ["ignore", "inherit", "inherit"] }).then(
    () => true,
    () => false,
  );
}

function reportFile() {
  return join(mkdtempSync(join(tmpdir(), "tieout-report-")), "report.json");
}
