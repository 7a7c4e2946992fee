import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, install, ROOT } from "../setup.mjs";
import { ensureChromium } from "./chromium.mjs";
import { playwright, verify, vitest } from "./suites.mjs";
import { print, saveResult, TestRun } from "./test-run.mjs";

// `npm test` is the gate. `npm test -- e2e/api/exceptions` runs everything below that path; the
// drills of e2e/faults only run that way.
const args = process.argv.slice(2);
const FOLDERS = { api: "e2e/api", ui: "e2e/ui", stack: "e2e/stack", faults: "e2e/faults" };
const chosen =
  args[0] && (Object.keys(FOLDERS).find((suite) => args[0].startsWith(FOLDERS[suite])) ?? "unit");
const isSelected = (suite) => (chosen ? suite === chosen : suite !== "faults");
if (!chosen) process.env.TIEOUT_TESTS = "gate";

const run = new TestRun();
const suite = async (name, tests) => isSelected(name) && run.suite(name, tests);

try {
  const installed = install();
  await Promise.all([installed, isSelected("ui") && ensureChromium(installed)]);
  await Promise.all([suite("verify", verify), suite("unit", () => vitest("unit", args))]);
  if (["api", "ui", "stack", "faults"].some(isSelected))
    await build({ typesAreChecked: run.results.verify?.failures.length === 0 });
  for (const name of ["api", "stack", "faults"]) await suite(name, () => vitest(name, args));
  await suite("ui", () => playwright(args));
  await run.rerunAlone();
} catch (error) {
  run.fail(error);
}

const report = run.report();
if (!chosen) {
  saveResult("gate.json", report);
  const left = Object.keys(
    JSON.parse(readFileSync(join(ROOT, "e2e/not-in-the-gate.json"), "utf8")),
  ).length;
  console.log(`${left} files are not in the gate: npm run proof runs them`);
}
process.exit(print(report) ? 0 : 1);
