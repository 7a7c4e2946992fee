import { ensureChromium } from "./chromium.mjs";
import { build, install } from "./setup.mjs";

// npm test -- e2e/api/exceptions: only the suite that the path belongs to; the drills of e2e/faults only so.
const args = process.argv.slice(2);
const FOLDERS = { api: "e2e/api", ui: "e2e/ui", stack: "e2e/stack", faults: "e2e/faults" };
const chosen = args[0] && (Object.keys(FOLDERS).find((suite) => args[0].startsWith(FOLDERS[suite])) ?? "unit");
const wanted = (suite) => (chosen ? suite === chosen : suite !== "faults");

const startedAt = performance.now();
const results = {};

async function suite(name, run) {
  if (!wanted(name)) return;
  const since = performance.now();
  const counts = await run();
  results[name] = { ...counts, minutes: ((performance.now() - since) / 60_000).toFixed(1) };
  console.log(`── ${name}: ${counts.passed} passed, ${counts.failed} failed ──\n`);
}

async function prepare() {
  const installed = install();
  await Promise.all([installed, wanted("ui") && ensureChromium(installed)]);
}

try {
  await prepare();
  const { playwright, verify, vitest } = await import("./suites.mjs");
  await Promise.all([suite("verify", verify), suite("unit", () => vitest("unit", args))]);
  if (["api", "ui", "stack", "faults"].some(wanted)) await build({ typesAreChecked: results.verify?.failed === 0 });
  // The stacks of the second wait for most of the time.
  await Promise.all([suite("api", () => vitest("api", args)), suite("stack", () => vitest("stack", args))]);
  await suite("faults", () => vitest("faults", args));
  await suite("ui", () => playwright(args));
} catch (error) {
  console.error(error.message);
  results["set-up"] = { passed: 0, failed: 1, names: [error.message], minutes: "0.0" };
}

let passed = 0;
let failed = 0;
for (const [name, counts] of Object.entries(results)) {
  passed += counts.passed;
  failed += counts.failed;
  console.log(`${counts.failed ? "✗" : "✓"} ${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.minutes} min`);
}
// Once more at the end: CI keeps only the last of what was printed.
for (const [name, { names }] of Object.entries(results)) for (const failure of names) console.log(`✗ ${name}: ${failure}`);
console.log(`${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes in all`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
