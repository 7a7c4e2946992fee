import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { NODE, ROOT } from "./setup.mjs";

const WORDS_MAX_LINES = 12;

/** Every suite answers how many tests passed and failed, and the names of those that failed, each with why. One that breaks before it can tell counts as one failure. */
export async function verify() {
  const ok = await succeeds("bin/verify.ts", []);
  return { passed: Number(ok), failed: Number(!ok), names: [] };
}

/** Of all projects whose names begin so. */
export async function vitest(suite, args) {
  const report = reportFile();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ok = await succeeds("node_modules/vitest/vitest.mjs", ["run", `--project=${suite}*`, ...reporters, ...args]);
  return outcome(ok, report, ({ numPassedTests, testResults }) => ({
    passed: numPassedTests,
    names: testResults.flatMap(failedInFile),
  }));
}

/** A test that passed when it was tried again has failed. */
export async function playwright(args) {
  const report = reportFile();
  const ok = await succeeds("node_modules/@playwright/test/cli.js", ["test", ...args], { PLAYWRIGHT_JSON_OUTPUT_NAME: report });
  return outcome(ok, report, ({ stats, suites }) => ({
    passed: stats.expected,
    names: suites.flatMap((suite) => failedInSuite(suite, [])),
  }));
}

/** A file that failed without a failed test could not be read, or its hooks broke. */
function failedInFile({ name, status, message, assertionResults }) {
  const file = relative(ROOT, name);
  const failed = assertionResults
    .filter((one) => one.status === "failed")
    .map(({ fullName, failureMessages }) => withWords(`${file} > ${fullName}`, failureMessages[0]));
  return failed.length === 0 && status === "failed" ? [withWords(file, message)] : failed;
}

function failedInSuite({ specs = [], suites = [] }, before) {
  const bad = ({ tests }) => tests.some(({ status }) => status === "unexpected" || status === "flaky");
  return [
    ...specs.filter(bad).map(({ file, line, title, tests }) => {
      const { error } = tests.flatMap(({ results }) => results).find((result) => result.error) ?? {};
      return withWords([`e2e/ui/${file}:${line}`, ...before, title].join(" > "), error?.message);
    }),
    ...suites.flatMap((suite) => failedInSuite(suite, [...before, suite.title])),
  ];
}

/** The beginning of what a failure says, below its name. */
function withWords(name, message = "") {
  const lines = stripVTControlCharacters(message).split("\n").slice(0, WORDS_MAX_LINES);
  return [name, ...lines.filter((line) => line.trim()).map((line) => `    ${line.slice(0, 300)}`)].join("\n");
}

function outcome(ok, report, read) {
  const { passed, names } = existsSync(report) ? read(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, names: [] };
  return { passed, failed: ok ? names.length : Math.max(1, names.length), names };
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
