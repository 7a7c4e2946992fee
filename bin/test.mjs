import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { ensureChromium } from "./chromium.mjs";
import { build, install, ROOT } from "./setup.mjs";

// npm test -- e2e/api/exceptions: only the suite that the path belongs to; the drills of e2e/faults only so.
const args = process.argv.slice(2);
const FOLDERS = { api: "e2e/api", ui: "e2e/ui", stack: "e2e/stack", faults: "e2e/faults" };
const chosen = args[0] && (Object.keys(FOLDERS).find((suite) => args[0].startsWith(FOLDERS[suite])) ?? "unit");
const wanted = (suite) => (chosen ? suite === chosen : suite !== "faults");

/** More tests than these that pass only on their own say that something is wrong with all. */
const FLAKY_AT_MOST = 8;

const startedAt = new Date();
const loadBefore = loadavg()[0];
const results = {};

/** Runs a suite. What fails in it is tried again by `alone`, once everything else has ended. */
async function suite(name, run) {
  if (!wanted(name)) return;
  const since = performance.now();
  const outcome = await run();
  results[name] = { ...outcome, flaky: [], minutes: minutesSince(since) };
  console.log(`── ${name}: ${outcome.passed} passed, ${outcome.failures.length} failed ──\n`);
}

async function alone(name, again) {
  const since = performance.now();
  const first = results[name];
  console.log(`── ${name}: ${first.failures.length} failed, once more alone ──`);
  const second = await again(name, first);
  const failures = first.failures.filter((one) => second.failures.some((other) => isSame(one, other)));
  const flaky = first.failures.filter((one) => !failures.includes(one));
  // A suite that could not tell was run whole.
  const passed = first.failures.every(({ file }) => file) ? first.passed + flaky.length : second.passed;
  results[name] = { ...first, passed, failures, flaky, minutes: first.minutes + minutesSince(since) };
}

/** A file that could not be read stands for each of its tests, a suite that could not tell for all. */
function isSame(one, other) {
  if (!one.file || !other.file) return true;
  return one.file === other.file && (one.name === other.name || one.name === one.file || other.name === other.file);
}

function minutesSince(since) {
  return (performance.now() - since) / 60_000;
}

async function prepare() {
  const installed = install();
  await Promise.all([installed, wanted("ui") && ensureChromium(installed)]);
}

try {
  await prepare();
  const { again, playwright, verify, vitest } = await import("./suites.mjs");
  await Promise.all([suite("verify", verify), suite("unit", () => vitest("unit", args))]);
  if (["api", "ui", "stack", "faults"].some(wanted)) await build({ typesAreChecked: results.verify?.failures.length === 0 });
  // The stacks of the second wait for most of the time.
  await Promise.all([suite("api", () => vitest("api", args)), suite("stack", () => vitest("stack", args))]);
  await suite("faults", () => vitest("faults", args));
  await suite("ui", () => playwright(args));
  for (const [name, { failures }] of Object.entries(results)) if (failures.length > 0) await alone(name, again);
} catch (error) {
  console.error(error.message);
  results["set-up"] = { passed: 0, failures: [{ name: error.message }], flaky: [], files: [], minutes: 0 };
}

const all = Object.entries(results);
const listed = (kind) => all.flatMap(([name, result]) => result[kind].map((one) => ({ suite: name, ...one })));
const failed = listed("failures");
const flaky = listed("flaky");
const passed = all.reduce((sum, [, result]) => sum + result.passed, 0);
if (flaky.length > FLAKY_AT_MOST)
  failed.push({ suite: "flaky", name: `${flaky.length} tests passed only alone: at most ${FLAKY_AT_MOST} may` });
const minutes = (Date.now() - startedAt) / 60_000;

const round = (number, digits = 1) => Number(number.toFixed(digits));
const git = (...command) => execFileSync("git", command, { cwd: ROOT, encoding: "utf8" }).trim();
mkdirSync(join(ROOT, "test-results"), { recursive: true });
writeFileSync(
  join(ROOT, "test-results/gate.json"),
  `${JSON.stringify(
    {
      commit: git("rev-parse", "HEAD"),
      clean: git("status", "--porcelain") === "",
      startedAt,
      minutes: round(minutes),
      load: { before: round(loadBefore, 2), after: round(loadavg()[0], 2) },
      suites: Object.fromEntries(
        all.map(([name, { passed, failures, flaky, minutes }]) => [
          name,
          { passed, failed: failures.length, flaky: flaky.length, minutes: round(minutes) },
        ]),
      ),
      failed,
      flaky,
      slowest: all
        .flatMap(([, { files }]) => files)
        .sort((left, right) => right.seconds - left.seconds)
        .slice(0, 20)
        .map(({ file, seconds }) => ({ file, seconds: round(seconds) })),
    },
    null,
    2,
  )}\n`,
);

for (const [name, result] of all) {
  const { passed, failures, flaky, minutes } = result;
  console.log(
    `${failures.length ? "✗" : "✓"} ${name}: ${passed} passed, ${failures.length} failed, ${flaky.length} flaky, ${minutes.toFixed(1)} min`,
  );
}
// Once more at the end: CI keeps only the last of what was printed.
const say = (mark, { suite, name, words = "" }) =>
  console.log(`${mark} ${suite}: ${name}${words.replaceAll(/^/gm, "\n    ").replaceAll("\n\n", "\n")}`);
for (const one of flaky) say("~", one);
for (const one of failed) say("✗", one);
console.log(`${minutes.toFixed(1)} minutes in all`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length > 0 || passed === 0 ? 1 : 0);
