/** Lists of tests that prove something: checks that they exist, and runs them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { playwright, vitest } from "../bin/dev/suites.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Tests by file and parts of their names. */
export type Tests = readonly (readonly [file: string, ...names: string[]])[];

/** The missing tests, as sentences. */
export function missingTests(tests: Tests): string[] {
  return tests.flatMap(([file, ...names]) => {
    if (!existsSync(join(ROOT, file))) return [`there is no ${file}`];
    const text = readFileSync(join(ROOT, file), "utf8");
    return names
      .filter((name) => !text.includes(name))
      .map((name) => `"${name}" is not in ${file}`);
  });
}

export type Outcome = { passed: number; failed: number; names: string[] };

/**
 * Runs the files of these tests against a built stack, one suite after another. `names` are the
 * failed tests with their files.
 */
export async function runTests(tests: Tests): Promise<Outcome> {
  const files = [...new Set(tests.map(([file]) => file))];
  const of = (suite: string) => files.filter((file) => file.startsWith(`e2e/${suite}/`));
  const units = files.filter(
    (file) => !["api", "stack", "faults", "ui"].some((suite) => of(suite).includes(file)),
  );
  const runs = [
    () => vitest("unit", units),
    () => vitest("api", of("api")),
    () => vitest("stack", of("stack")),
    () => vitest("faults", of("faults")),
    () => playwright(of("ui")),
  ];
  const lists = [units, of("api"), of("stack"), of("faults"), of("ui")];
  const total: Outcome = { passed: 0, failed: 0, names: [] };
  for (const [index, run] of runs.entries()) {
    // Without a file, the whole suite would run.
    if (lists[index]?.length === 0) continue;
    const { passed, failures } = await run();
    total.passed += passed;
    total.failed += failures.length;
    total.names.push(...failures.map(({ name }) => name));
  }
  return total;
}
