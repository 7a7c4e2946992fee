import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { tieToParent } from "../children.mjs";
import { NODE, ROOT } from "../setup.mjs";

const MAX_MESSAGE_LINES = 12;

/**
 * The result of a suite. A failure without a file means that the suite ended before it reported
 * anything.
 *
 * @typedef {{ name: string, file?: string, words?: string }} Failure
 *
 * @typedef {{ passed: number, failures: Failure[], files: { file: string, seconds: number }[] }}
 * Outcome
 */

/** @returns {Promise<Outcome>} */
export function verify() {
  return runSingle("verify", "bin/dev/verify.ts", []);
}

/** Runs a script that is a single test. @returns {Promise<Outcome>} */
export async function runSingle(name, script, args) {
  const ok = await succeeds(script, args);
  return { passed: Number(ok), failures: ok ? [] : [{ name }], files: [] };
}

/** Runs all projects whose names begin with `suite`. @returns {Promise<Outcome>} */
export async function vitest(suite, args, env = {}) {
  const report = reportFile();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ok = await succeeds(
    "node_modules/vitest/vitest.mjs",
    ["run", `--project=${suite}*`, ...reporters, ...args],
    env,
  );
  return outcome(suite, ok, report, ({ numPassedTests, testResults }) => ({
    passed: numPassedTests,
    failures: testResults.flatMap(failedInFile),
    files: testResults.map(({ name, startTime, endTime }) => ({
      file: relative(ROOT, name),
      seconds: (endTime - startTime) / 1000,
    })),
  }));
}

/** @returns {Promise<Outcome>} */
export async function playwright(args) {
  const report = reportFile();
  const ok = await succeeds("node_modules/@playwright/test/cli.js", ["test", ...args], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  });
  return outcome("ui", ok, report, ({ stats, suites }) => ({
    passed: stats.expected,
    failures: suites.flatMap((suite) => failedInSuite(suite, [])),
    files: suites.map((suite) => ({ file: `e2e/ui/${suite.file}`, seconds: secondsOf(suite) })),
  }));
}

/** Repeats a suite alone: the files with failed tests, or all of it if it reported none. */
export function rerun(suite, { failures }) {
  const files = [...new Set(failures.flatMap(({ file }) => file ?? []))];
  if (suite === "verify") return verify();
  if (suite !== "ui") return vitest(suite, [...files, "--maxWorkers=1"]);
  return playwright([
    ...(files.length > 0 ? ["--last-failed"] : []),
    "--workers=1",
    "--trace=retain-on-failure",
  ]);
}

/** If a file failed without a failed test, it could not be loaded or its hooks failed. */
function failedInFile({ name, status, message, assertionResults }) {
  const file = relative(ROOT, name);
  const failed = assertionResults
    .filter((result) => result.status === "failed")
    .map(({ fullName, failureMessages }) => ({
      name: `${file} > ${fullName}`,
      file,
      words: wordsOf(failureMessages[0]),
    }));
  return failed.length === 0 && status === "failed"
    ? [{ name: file, file, words: wordsOf(message) }]
    : failed;
}

function failedInSuite({ specs = [], suites = [] }, before) {
  return [
    ...specs
      .filter(({ tests }) => tests.some(({ status }) => status === "unexpected"))
      .map(({ file, line, title, tests }) => {
        const { error } =
          tests.flatMap(({ results }) => results).find((result) => result.error) ?? {};
        const path = `e2e/ui/${file}`;
        return {
          name: [`${path}:${line}`, ...before, title].join(" > "),
          file: path,
          words: wordsOf(error?.message),
        };
      }),
    ...suites.flatMap((suite) => failedInSuite(suite, [...before, suite.title])),
  ];
}

function secondsOf({ specs = [], suites = [] }) {
  const results = specs.flatMap(({ tests }) => tests).flatMap(({ results }) => results);
  return (
    results.reduce((sum, { duration }) => sum + duration / 1000, 0) +
    suites.reduce((sum, suite) => sum + secondsOf(suite), 0)
  );
}

/** The first lines of a failure's message. */
function wordsOf(message = "") {
  const lines = stripVTControlCharacters(message).split("\n").slice(0, MAX_MESSAGE_LINES);
  return lines
    .filter((line) => line.trim() && !line.includes("node_modules"))
    .map((line) => line.slice(0, 300))
    .join("\n");
}

function outcome(suite, ok, report, read) {
  const result = existsSync(report)
    ? read(JSON.parse(readFileSync(report, "utf8")))
    : { passed: 0, failures: [], files: [] };
  return ok || result.failures.length > 0
    ? result
    : { ...result, failures: [{ name: suite, words: "ended before it reported anything" }] };
}

/** Prints the suite's output when it ends, because suites run at the same time. */
function succeeds(script, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(NODE, [join(ROOT, script), ...args], {
      cwd: ROOT,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => output.push(chunk));
    child.once("error", (error) => output.push(error.message));
    child.once("close", (code) => {
      process.stdout.write(Buffer.concat(output));
      done(code === 0);
    });
    tieToParent(child);
  });
}

function reportFile() {
  return join(mkdtempSync(join(tmpdir(), "tieout-report-")), "report.json");
}
