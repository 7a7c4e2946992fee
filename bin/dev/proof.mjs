/**
 * `npm run proof [-- <part>…]` runs every test; `npm test` runs only those that would do harm the
 * same day. Each part continues where it was interrupted on the same commit; a finished part starts
 * over when it is named. `npm run proof -- failed [<part>…]` repeats only the steps that failed, on
 * this commit; their parts may have run on another. docs/proof.json keeps the last result of each
 * part, and docs/proof.md shows them.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, install, ROOT } from "../setup.mjs";
import { ensureChromium } from "./chromium.mjs";
import { daysAhead, daysToLeapDay, ensureFaketime } from "./faketime.mjs";
import { playwright, runSingle, verify, vitest } from "./suites.mjs";
import { commitOf, isClean, TestRun } from "./test-run.mjs";

const RESULTS = join(ROOT, "docs/proof.json");
const PAGE = join(ROOT, "docs/proof.md");

/** The steps of each part: a name, the command, and the suite that repeats its failures. */
const PARTS = {
  verify: () => [{ name: "verify", suite: "verify", run: verify }],
  unit: () => [{ name: "unit", suite: "unit", run: () => vitest("unit", []) }],
  api: () =>
    [...new Set(filesBelow("e2e/api", "test").map(folderOf))].map((name) => tests("api", name)),
  stack: () => filesBelow("e2e/stack", "test").map((name) => tests("stack", name)),
  ui: () =>
    filesBelow("e2e/ui", "spec").map((name) => ({
      name,
      suite: "ui",
      run: () => playwright([name]),
    })),
  faults: () => filesBelow("e2e/faults", "test").map((name) => tests("faults", name)),
  clock: () =>
    [40, 400, daysToLeapDay()].flatMap((days) =>
      ["unit", "api"].map((suite) => gateAhead(suite, days)),
    ),
  fuzz: () => [{ name: "fuzz", run: () => runSingle("fuzz", "e2e/abuse/run.ts", []) }],
  breaks: () =>
    readdirSync(join(ROOT, "e2e/mutations/breaks")).map((file) => {
      const area = file.replace(".ts", "");
      const name = `breaks: ${area}`;
      return { name, run: () => runSingle(name, "e2e/mutations/run.ts", [area]) };
    }),
};

const FAILED = "failed";
const words = process.argv.slice(2);
const isRepetition = words.includes(FAILED);
const named = words.filter((name) => name !== FAILED);
const unknown = named.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(", ")}. The parts are ${Object.keys(PARTS).join(", ")}, and ` +
      `${FAILED} repeats what failed.`,
  );
  process.exit(1);
}

const installed = install();
await Promise.all([installed, ensureChromium(installed)]);
await build();

const commit = commitOf();
const clean = isClean();
const proof = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {};
for (const part of named.length > 0 ? named : Object.keys(PARTS))
  await (isRepetition ? repeatFailed(part) : prove(part));
const all = Object.values(proof).flatMap(({ steps }) => Object.values(steps));
const failed = all.reduce((sum, step) => sum + step.failed.length, 0);
for (const [part, result] of Object.entries(proof)) console.log(lineOf(part, result));
for (const step of all) for (const { name } of step.failed) console.log(`✗ ${name}`);
writeFileSync(PAGE, pageOf());
process.exit(failed > 0 ? 1 : 0);

async function prove(part) {
  const steps = PARTS[part]();
  if (!canContinue(proof[part]) || (proof[part].ended && named.length > 0))
    proof[part] = { commit, clean, begun: today(), ended: false, steps: {} };
  const { steps: done } = proof[part];
  for (const step of steps.filter(({ name }) => !done[name])) await runStep(part, step);
  proof[part].ended = true;
  save();
}

async function repeatFailed(part) {
  const done = proof[part]?.steps ?? {};
  for (const step of PARTS[part]())
    if (done[step.name]?.failed.length > 0) {
      proof[part].clean &&= clean;
      await runStep(part, step);
    }
}

async function runStep(part, { name, suite, run }) {
  const test = new TestRun();
  await test.suite(suite ?? name, run);
  if (suite) await test.rerunAlone();
  const { suites, failed, flaky, load } = test.report();
  const [{ passed, minutes }] = Object.values(suites);
  const unstable = { failed: failed.map(nameOf), flaky: flaky.map(nameOf) };
  proof[part].steps[name] = { commit, passed, ...unstable, minutes, load };
  save();
}

/** A checkout with changes never continues, because nobody could tell what ran. */
function canContinue(result) {
  return clean && result?.clean && result.commit === commit;
}

function save() {
  writeFileSync(RESULTS, `${JSON.stringify(proof, null, 1)}\n`);
}

/** A failure without its output, which names paths of the machine. */
function nameOf({ file, name }) {
  return { file, name };
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function filesBelow(folder, kind) {
  const files = readdirSync(join(ROOT, folder), { recursive: true }).map(
    (file) => `${folder}/${file}`,
  );
  return files.filter((file) => file.endsWith(`.${kind}.ts`)).sort();
}

/** The files of a folder are one step; files outside of a folder are a step each. */
function folderOf(file) {
  return file.split("/").slice(0, 3).join("/");
}

function tests(suite, name) {
  return { name, suite, run: () => vitest(suite, [name]) };
}

/** Runs the gate with every clock `days` ahead. */
function gateAhead(suite, days) {
  const run = async () => {
    await ensureFaketime();
    return vitest(suite, [], { ...daysAhead(days), TIEOUT_TESTS: "gate" });
  };
  return { name: `${suite}, ${days} days ahead`, run };
}

function sumOf({ steps }) {
  const all = Object.values(steps);
  const count = (kind) => all.reduce((sum, step) => sum + (step[kind].length ?? step[kind]), 0);
  return {
    passed: count("passed"),
    failed: count("failed"),
    flaky: count("flaky"),
    minutes: count("minutes").toFixed(1),
  };
}

function lineOf(part, result) {
  const { passed, failed, flaky, minutes } = sumOf(result);
  return (
    `${failed ? "✗" : "✓"} ${part}: ${passed} passed, ` +
    `${failed} failed, ${flaky} flaky, ${minutes} min`
  );
}

/** More than one if a step was repeated after a change. */
function commitsOf({ commit: first, steps }) {
  const commits = Object.values(steps).map((step) => step.commit ?? first);
  return [...new Set(commits)].map((commit) => commit.slice(0, 8));
}

function pageOf() {
  const rows = Object.keys(PARTS).map((part) => {
    const result = proof[part];
    if (!result?.ended) return `| ${part} | not ${result ? "ended" : "run"} | | | | | |`;
    const { passed, failed, flaky, minutes } = sumOf(result);
    const ran = `${commitsOf(result).join(", ")}${result.clean ? "" : ", with changes"}`;
    return `| ${part} | ${ran} | ${result.begun} | ${passed} | ${failed} | ${flaky} | ${minutes} |`;
  });
  const list = (kind) => all.flatMap((step) => step[kind].map(({ name }) => `- ${name}`));
  const listed = (title, names) => (names.length > 0 ? ["", `## ${title}`, "", ...names] : []);
  return [
    "# The last proof of each part",
    "",
    "`npm run proof` writes this page from `proof.json`: don't edit it. Each row names the commit " +
      "its part ran on.",
    "",
    "| Part | Commit | Begun | Passed | Failed | Flaky | Minutes |",
    "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ...rows,
    ...listed("Failed", list("failed")),
    ...listed("Flaky", list("flaky")),
    "",
  ].join("\n");
}
