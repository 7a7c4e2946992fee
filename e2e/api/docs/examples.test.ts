/** Runs the call on each operation's page as a reader would, in each of its forms. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Example, examplesOf } from "#components/docs/reference/examples.ts";
import type { Operation } from "#components/docs/reference/reference.ts";
import { allOperations } from "#components/docs/reference/whole-reference.test-support.ts";
import { stack, uniqueName } from "#e2e/fixtures.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import { moveExamples } from "#lib/openapi/move-examples.ts";
import { createFixture } from "../contracts/operation.ts";
import { type Fixture, sampleFor } from "../contracts/samples.ts";
import { PYTHONPATH, pythonWithHttpx } from "../sdk/python.ts";
import { installSdk } from "./install-sdk.ts";
import { typeErrors } from "./type-errors.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CLI = join(ROOT, "sdk/cli/src");
const OPERATIONS = allOperations(moveExamples(openApiDocument(), Date.now())).map((operation) => ({
  operation,
  name: operation.contract.operationId,
}));

/** The source that the examples of pairs name on both sides. */
const EXAMPLE_SOURCE = "src_019a9f4be2c04d6f8a1b3c5d7e9f0a2b";

let folder: string;
let fixture: Fixture;

beforeAll(async () => {
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  folder = mkdtempSync(join(ROOT, "test-results/examples-"));
  [fixture] = await Promise.all([createFixture(), installSdk(folder)]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function shownExample(operation: Operation, language: Example["language"], origin: string): string {
  const example = examplesOf(operation, origin).find((one) => one.language === language);
  if (!example) throw new Error(`${operation.contract.operationId} has no ${language}.`);
  return example.code;
}

/** A shown example, with the IDs of resources that exist. */
async function realExample(
  operation: Operation,
  language: Example["language"],
): Promise<{ code: string; tenant: string }> {
  const { tenant, params = {}, query = {}, body } = await sampleFor(operation.contract, fixture);
  const pairs = (body?.pairs as Record<string, string>[] | undefined) ?? [];
  const lines = (body?.line_ids as string[] | undefined) ?? [];
  const existing = [
    ...Object.values(params),
    ...Object.values(query).filter((value) => /^[a-z]{3}_/.test(value)),
    ...((body?.ids as string[] | undefined) ?? []),
    ...(typeof body?.source_id === "string" ? [body.source_id] : []),
    ...lines.slice(0, 1),
  ];
  const shown = shownExample(operation, language, stack.url);
  const uuid = existing.find((id) => /^[0-9a-f]{8}-/.test(id));
  const code = shown
    .replaceAll("nia@acme.example", `${uniqueName("nia")}@mail.example`)
    .replaceAll(/\bacme\b/g, tenant ?? fixture.tenant)
    .replaceAll(/https:\/\/hooks\.example\.com\/\w+/g, "http://127.0.0.1:9/")
    .replaceAll("0192f3a4-7b5c-4d6e-8f90-a1b2c3d4e5f6", uuid ?? "")
    .replaceAll("lin_02c04d6f8a1b3c5d7e9f0a2b019a9f4b", lines[1] ?? "");
  const ofPairs = pairs
    .flatMap(Object.values)
    .reduce((text, id) => text.replace(EXAMPLE_SOURCE, id), code);
  const real = existing.reduce(
    (text, id) => text.replaceAll(`${id.split("_")[0]}_019a9f4be2c04d6f8a1b3c5d7e9f0a2b`, id),
    ofPairs,
  );
  return { code: real, tenant: tenant ?? fixture.tenant };
}

const RUN_ALL = `
  const failures = {};
  const { write } = process.stdout;
  process.stdout.write = () => true;
  for (const name of process.argv.slice(1)) {
    failures[name] = await import(process.cwd() + "/" + name + ".mts").then(() => null, (error) => String(error.stack));
  }
  process.stdout.write = write;
  console.log("\\n" + JSON.stringify(failures));`;

/** Runs all commands in one process, with the arguments that bash wrote to a file for each. */
const RUN_COMMANDS = `
  const { readFileSync } = await import("node:fs");
  const { createProgram } = await import(${JSON.stringify(`${CLI}/program.ts`)});
  const { failureOf } = await import(${JSON.stringify(`${CLI}/failure.ts`)});
  const failures = {};
  const { write } = process.stdout;
  process.stdout.write = () => true;
  console.error = () => {};
  for (const [name, tenant] of JSON.parse(process.argv[1])) {
    process.env.TIEOUT_TENANT = tenant;
    const words = readFileSync(name + ".words", "utf8").split("\\0").slice(0, -1);
    failures[name] = await createProgram().parseAsync(words, { from: "user" }).then(
      () => process.exitCode || null,
      (error) => failureOf(error).message,
    );
    process.exitCode = 0;
  }
  process.stdout.write = write;
  console.log("\\n" + JSON.stringify(failures));`;

/** Runs all Python programs in one process, one after another. */
const RUN_PROGRAMS = `
import contextlib, io, json, runpy, sys, traceback
failures = {}
for name in sys.argv[1:]:
    failures[name] = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(name + ".py")
    except BaseException:
        failures[name] = traceback.format_exc()
print("\\n" + json.dumps(failures))`;

const run = (command: string, args: string[], input?: string) =>
  spawnSync(command, args, {
    input,
    encoding: "utf8",
    env: { ...process.env, PYTHONPATH, TIEOUT_URL: stack.url, TIEOUT_TOKEN: fixture.admin },
    cwd: folder,
  });

describe("the call that an operation's page shows", () => {
  it.each(OPERATIONS)("$name by curl", async ({ operation }) => {
    const { code } = await realExample(operation, "curl");
    const { stdout, stderr } = run(
      "bash",
      ["-s"],
      `curl() { command curl --silent --show-error --write-out '\\n%{http_code}' "$@"; }\n${code}\n`,
    );
    expect([stdout.split("\n").at(-1), stderr], `${code}\n${stdout}`).toEqual([
      String(operation.contract.status),
      "",
    ]);
  });

  describe("by the command line", () => {
    let failures: Record<string, string | null>;

    beforeAll(async () => {
      const scripts: string[] = [];
      const calls: [name: string, tenant: string][] = [];
      for (const { operation, name } of OPERATIONS) {
        const { code, tenant } = await realExample(operation, "CLI");
        calls.push([name, tenant]);
        // Examples write files of the same names.
        const own = code.replaceAll(/\b(?:statement|upload)\.\w+\b/g, (file) => `${name}-${file}`);
        scripts.push(`words=${name}.words\n${own}\n`);
      }
      const words = `tieout() { printf '%s\\0' "$@" > "$words"; }\n${scripts.join("")}`;
      expect(run("bash", ["-s"], words).stderr).toBe("");
      const args = ["--input-type=module", "--eval", RUN_COMMANDS, JSON.stringify(calls)];
      const { stdout, stderr } = run(process.execPath, args);
      expect(stderr).toBe("");
      failures = JSON.parse(stdout.slice(stdout.lastIndexOf("\n{") + 1));
    });

    it.each(OPERATIONS)("$name", ({ name }) => {
      expect(failures).toHaveProperty(name, null);
    });
  });

  describe("by the Python SDK", () => {
    let failures: Record<string, string | null>;

    beforeAll(async () => {
      const python = await pythonWithHttpx(folder);
      for (const { operation, name } of OPERATIONS)
        writeFileSync(join(folder, `${name}.py`), (await realExample(operation, "Python")).code);
      const names = OPERATIONS.map(({ name }) => name);
      const { stdout, stderr } = run(python, ["-c", RUN_PROGRAMS, ...names]);
      expect(stderr).toBe("");
      failures = JSON.parse(stdout.slice(stdout.lastIndexOf("\n{") + 1));
    });

    it.each(OPERATIONS)("$name", ({ name }) => {
      expect(failures).toHaveProperty(name, null);
    });
  });

  describe("by the TypeScript SDK", () => {
    let failures: Record<string, string | null>;

    // All in one process, one after another: each module makes its call when it is imported.
    beforeAll(async () => {
      for (const { operation, name } of OPERATIONS)
        writeFileSync(
          join(folder, `${name}.mts`),
          (await realExample(operation, "TypeScript")).code,
        );
      const { stdout, stderr } = run(process.execPath, [
        "--input-type=module",
        "--eval",
        RUN_ALL,
        ...OPERATIONS.map(({ name }) => name),
      ]);
      expect(stderr).toBe("");
      failures = JSON.parse(stdout.slice(stdout.lastIndexOf("\n{") + 1));
    });

    it.each(OPERATIONS)("$name", ({ name }) => {
      expect(failures).toHaveProperty(name, null);
    });
  });

  it("is sound TypeScript, for every operation", () => {
    for (const { operation, name } of OPERATIONS) {
      writeFileSync(
        join(folder, `${name}.mts`),
        shownExample(operation, "TypeScript", "https://tieout.example"),
      );
    }
    const files = OPERATIONS.map(({ name }) => `${name}.mts`);
    expect(typeErrors(folder, files)).toBe("");
  });
});
