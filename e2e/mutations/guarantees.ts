/** Runs the tests that breaks name, and says which are red. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOT_IN_THE_GATE } from "../gate.ts";
import type { Break } from "./break.ts";
import type { Sandbox } from "./sandbox.ts";

/** `missing`: no test has that name, or none ran because the stack did not start. */
export type Colour = "red" | "green" | "missing";
/** Which of the two runs a test. */
export type Runner = "the gate" | "proof";
export type TestResult = { colour: Colour; by: Runner };

type Ran = { file: string; name: string; failed: boolean };

const SUITES = [
  { name: "ui", folder: "e2e/ui/" },
  { name: "stack", folder: "e2e/stack/" },
  { name: "api", folder: "e2e/api/" },
  { name: "unit", folder: "" },
] as const;

const suiteOf = ({ killedBy }: Break) =>
  SUITES.find(({ folder }) => killedBy.file.startsWith(folder))?.name;

/**
 * What the tests named by breaks show, as the gate runs them; those that it leaves out, in a file
 * or whole, as proof does.
 */
export async function coloursOf(
  sandbox: Sandbox,
  breaks: readonly Break[],
): Promise<Map<Break, TestResult>> {
  const inGate = breaks.filter(({ killedBy }) => !(killedBy.file in NOT_IN_THE_GATE));
  const asGate = await coloursBy("the gate", sandbox, inGate);
  const left = breaks.filter(
    (mutation) => (asGate.get(mutation)?.colour ?? "missing") === "missing",
  );
  return new Map([...asGate, ...(await coloursBy("proof", sandbox, left))]);
}

async function coloursBy(
  by: Runner,
  sandbox: Sandbox,
  breaks: readonly Break[],
): Promise<Map<Break, TestResult>> {
  const env = { TIEOUT_TESTS: by === "the gate" ? "gate" : "" };
  const ran: Ran[] = [];
  for (const { name } of SUITES) {
    const ofSuite = breaks.filter((mutation) => suiteOf(mutation) === name);
    if (ofSuite.length > 0)
      ran.push(
        ...(name === "ui"
          ? await playwright(sandbox, ofSuite, env)
          : await vitest(sandbox, name, ofSuite, env)),
      );
  }
  return new Map(breaks.map((mutation) => [mutation, { colour: colourOf(mutation, ran), by }]));
}

function colourOf({ killedBy }: Break, ran: Ran[]): Colour {
  const named = ran.filter(
    ({ file, name }) => file.endsWith(killedBy.file) && name.includes(killedBy.name),
  );
  if (named.length === 0) return "missing";
  return named.some(({ failed }) => failed) ? "red" : "green";
}

const filesOf = (breaks: readonly Break[]) => [
  ...new Set(breaks.map(({ killedBy }) => killedBy.file)),
];
/** vitest puts " > " between the parts of a full name, Playwright a space. */
const patternOf = (breaks: readonly Break[]) =>
  [
    ...new Set(
      breaks.map(({ killedBy }) =>
        killedBy.name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "(?: > | )"),
      ),
    ),
  ].join("|");

type Env = Record<string, string>;

async function vitest(
  sandbox: Sandbox,
  project: string,
  breaks: readonly Break[],
  env: Env,
): Promise<Ran[]> {
  const report = reportFile();
  const reporting = ["--reporter=json", `--outputFile=${report}`];
  const chosen = [...filesOf(breaks), "--testNamePattern", patternOf(breaks)];
  const args = ["run", `--project=${project}*`, ...reporting, ...chosen];
  const { output } = await sandbox.run("node_modules/vitest/vitest.mjs", args, env);
  const { testResults } = read<{
    testResults: {
      name: string;
      status: string;
      assertionResults: { fullName: string; status: string }[];
    }[];
  }>(report, output);
  return testResults.flatMap(({ name: file, status, assertionResults }) => {
    const ran = assertionResults.filter((result) => ["passed", "failed"].includes(result.status));
    // A hook that fails leaves every test of its file skipped.
    if (ran.length === 0 && status === "failed")
      return assertionResults.map(({ fullName }) => ({ file, name: fullName, failed: true }));
    return ran.map((result) => ({
      file,
      name: result.fullName,
      failed: result.status === "failed",
    }));
  });
}

type Suite = {
  title: string;
  file: string;
  suites?: Suite[];
  specs: { title: string; ok: boolean; tests: { results: unknown[] }[] }[];
};

async function playwright(sandbox: Sandbox, breaks: readonly Break[], gate: Env): Promise<Ran[]> {
  const report = reportFile();
  const chosen = [...filesOf(breaks), "--grep", patternOf(breaks)];
  const env = { ...gate, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const { output } = await sandbox.run(
    "node_modules/@playwright/test/cli.js",
    ["test", ...chosen],
    env,
  );
  const ranOf = (suite: Suite, before: string[]): Ran[] => [
    ...suite.specs
      .filter(({ tests }) => tests.some(({ results }) => results.length > 0))
      .map(({ title, ok }) => ({
        file: `e2e/ui/${suite.file}`,
        name: [...before, title].join(" "),
        failed: !ok,
      })),
    ...(suite.suites ?? []).flatMap((inner) => ranOf(inner, [...before, inner.title])),
  ];
  return read<{ suites: Suite[] }>(report, output).suites.flatMap((suite) => ranOf(suite, []));
}

function reportFile(): string {
  return join(mkdtempSync(join(tmpdir(), "tieout-breaks-report-")), "report.json");
}

function read<Report>(file: string, output: string): Report {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Error(`The tests did not run:\n${output.slice(-3000)}`);
  }
}
