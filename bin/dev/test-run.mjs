import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../setup.mjs";
import { rerun } from "./suites.mjs";

/** More tests than this that only pass alone indicate a problem with the whole run. */
const MAX_FLAKY = 8;
const SLOWEST_SHOWN = 20;

/** A run of several suites: what failed, what only passed alone, and how long it took. */
export class TestRun {
  /** The results by suite. */
  results = {};
  #startedAt = new Date();
  #loadBefore = loadavg()[0];

  /** Runs a suite and stores its result. `run` returns an Outcome (suites.mjs). */
  async suite(name, run) {
    const since = performance.now();
    const outcome = await run();
    this.results[name] = { ...outcome, flaky: [], minutes: minutesSince(since) };
    console.log(`── ${name}: ${outcome.passed} passed, ${outcome.failures.length} failed ──\n`);
  }

  /** Records an error that broke the run itself. */
  fail(error) {
    console.error(error.message);
    this.results["set-up"] = {
      passed: 0,
      failures: [{ name: error.message }],
      flaky: [],
      files: [],
      minutes: 0,
    };
  }

  /**
   * Repeats failed tests after all suites: those that fail again have failed, the others are flaky.
   */
  async rerunAlone() {
    for (const [name, { failures }] of Object.entries(this.results))
      if (failures.length > 0) await this.#alone(name);
  }

  async #alone(name) {
    const since = performance.now();
    const first = this.results[name];
    console.log(`── ${name}: ${first.failures.length} failed, once more alone ──`);
    const second = await rerun(name, first);
    const failures = first.failures.filter((failure) =>
      second.failures.some((other) => isSame(failure, other)),
    );
    const flaky = first.failures.filter((failure) => !failures.includes(failure));
    // A suite that reported nothing was repeated completely.
    const passed = first.failures.every(({ file }) => file)
      ? first.passed + flaky.length
      : second.passed;
    this.results[name] = {
      ...first,
      passed,
      failures,
      flaky,
      minutes: first.minutes + minutesSince(since),
    };
  }

  /** The report, as it is written to a file. */
  report() {
    const all = Object.entries(this.results);
    const listed = (kind) =>
      all.flatMap(([suite, result]) => result[kind].map((item) => ({ suite, ...item })));
    const failed = listed("failures");
    const flaky = listed("flaky");
    if (flaky.length > MAX_FLAKY)
      failed.push({
        suite: "flaky",
        name: `${flaky.length} tests passed only alone, and at most ${MAX_FLAKY} may`,
      });
    const slowest = all
      .flatMap(([, { files }]) => files)
      .sort((left, right) => right.seconds - left.seconds);
    return {
      commit: commitOf(),
      clean: isClean(),
      startedAt: this.#startedAt,
      minutes: round((Date.now() - this.#startedAt) / 60_000),
      load: { before: round(this.#loadBefore), after: round(loadavg()[0]) },
      suites: Object.fromEntries(
        all.map(([suite, { passed, failures, flaky, minutes }]) => [
          suite,
          { passed, failed: failures.length, flaky: flaky.length, minutes: round(minutes) },
        ]),
      ),
      failed,
      flaky,
      slowest: slowest
        .slice(0, SLOWEST_SHOWN)
        .map(({ file, seconds }) => ({ file, seconds: round(seconds) })),
    };
  }
}

/**
 * Prints a report. The names of failures come last, because CI keeps only the end of the output.
 * @returns whether everything passed
 */
export function print({ suites, failed, flaky, minutes }) {
  for (const [suite, one] of Object.entries(suites)) {
    const counts = `${one.passed} passed, ${one.failed} failed, ${one.flaky} flaky`;
    console.log(`${one.failed ? "✗" : "✓"} ${suite}: ${counts}, ${one.minutes} min`);
  }
  for (const one of flaky) console.log(`~ ${named(one)}`);
  for (const one of failed) console.log(`✗ ${named(one)}`);
  const passed = Object.values(suites).reduce((sum, item) => sum + item.passed, 0);
  console.log(`${minutes} minutes in all`);
  console.log(`${passed} passed, ${failed.length} failed`);
  return failed.length === 0 && passed > 0;
}

export function commitOf() {
  return git("rev-parse", "HEAD");
}

/** Whether there are no uncommitted changes except in the files that a proof writes. */
export function isClean() {
  return git("status", "--porcelain", "--", ".", ":!docs/proof.*") === "";
}

/** Writes a result below test-results. */
export function saveResult(file, result) {
  const path = join(ROOT, "test-results", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
}

function named({ suite, name, words }) {
  return [`${suite}: ${name}`, ...(words ? words.split("\n") : [])].join("\n    ");
}

/**
 * A file that could not be loaded stands for each of its tests, and a suite that reported nothing
 * for all.
 */
function isSame(a, b) {
  if (!a.file || !b.file) return true;
  return a.file === b.file && (a.name === b.name || a.name === a.file || b.name === b.file);
}

function minutesSince(since) {
  return (performance.now() - since) / 60_000;
}

function round(number) {
  return Number(number.toFixed(2));
}

function git(...command) {
  return execFileSync("git", command, { cwd: ROOT, encoding: "utf8" }).trim();
}
