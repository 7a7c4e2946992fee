import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { TieoutError } from "../../typescript/src/index.ts";
import { EXIT, failureOf } from "../src/failure.ts";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "..");
const ROOT = join(FOLDER, "../..");
const { version, bin, dependencies, files } = JSON.parse(
  await readFile(join(FOLDER, "package.json"), "utf8"),
);

await mkdir(join(ROOT, "test-results"), { recursive: true });
const built = await mkdtemp(join(ROOT, "test-results/cli-"));
afterAll(() => rm(built, { recursive: true, force: true }));

test("the built package runs, prints its version, and depends on three packages", async () => {
  const dist = join(built, "dist");
  await run(process.execPath, [join(FOLDER, "build.mjs"), dist]);
  const main = join(built, bin.tieout);
  expect((await run(process.execPath, [main, "--version"])).stdout).toBe(`${version}\n`);
  expect(files).toEqual(["dist"]);
  const installed = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")).devDependencies;
  expect(dependencies).toEqual({
    "@clack/prompts": installed["@clack/prompts"],
    "@modelcontextprotocol/sdk": installed["@modelcontextprotocol/sdk"],
    commander: installed.commander,
  });
});

test("every command has completion and a description", async () => {
  const complete = (...words: string[]) =>
    run(process.execPath, [join(FOLDER, "src/main.ts"), "__complete", ...words]);
  expect((await complete()).stdout).toMatch(/^login\nwhoami\nlisten\n/);
  expect((await complete("keys")).stdout).toMatch(/^create\nrotate\ncheck\n/);
  expect((await complete("keys", "rotate")).stdout).toMatch(/^--grace-period\n/);
  expect((await complete("export")).stdout).toMatch(/^exceptions\nsla\n/);
});

test("the README and the guide list every exit code", async () => {
  const [readme, guide] = await Promise.all(
    [join(FOLDER, "README.md"), join(ROOT, "docs/guides/command-line.md")].map((file) =>
      readFile(file, "utf8"),
    ),
  );
  for (const code of Object.values(EXIT)) {
    expect(readme).toContain(`\n| ${code} | `);
    expect(guide).toContain(`\n| ${code} | `);
  }
});

test.each([
  [401, "unauthenticated", EXIT.refused],
  [404, "not_found", EXIT.notFound],
  [409, "conflict", EXIT.conflict],
  [422, "idempotency_mismatch", EXIT.invalid],
  [503, "unavailable", EXIT.unavailable],
  [undefined, "connection_failed", EXIT.unavailable],
  [undefined, "failed", EXIT.workFailed],
])("a failure with status %s and code %s ends with %i", (status, code, exitCode) => {
  const retryable = exitCode === EXIT.unavailable;
  const error = new TieoutError(code, "No.", { status, retryable });
  expect(failureOf(error).exitCode).toBe(exitCode);
});
