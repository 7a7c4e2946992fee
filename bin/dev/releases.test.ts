import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

type Step = { name?: string; run?: string; "working-directory"?: string };
type Workflow = { jobs: { publish: { steps: Step[] } } };

const stepsOf = (workflow: string): Step[] =>
  (parse(readFileSync(join(ROOT, ".github/workflows", workflow), "utf8")) as Workflow).jobs.publish
    .steps;
const stepWith = (workflow: string, text: string): string => {
  const found = stepsOf(workflow).filter((step) => step.run?.includes(text));
  expect(found, `${workflow}: ${text}`).toHaveLength(1);
  return found[0]?.run ?? "";
};

let checkout: string;
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), "tieout-releases-"));
  for (const file of ["sdk/cli/package.json", "sdk/typescript/package.json"]) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(ROOT, file), join(checkout, file));
  }
});
afterAll(() => rmSync(checkout, { recursive: true }));

/** Runs a step as GitHub does: a shell that stops at the first failure. */
async function runStep(script: string, variables: Record<string, string>): Promise<boolean> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: checkout, GITHUB_ENV: join(checkout, "env"), ...variables };
  const options = { cwd: checkout, env: env as unknown as NodeJS.ProcessEnv };
  return run("bash", ["-e", "-c", script], options).then(
    () => true,
    () => false,
  );
}

const PACKAGES = [
  ["sdk-typescript", "sdk/typescript"],
  ["sdk-cli", "sdk/cli"],
] as const;

describe.each(PACKAGES)("a tag of %s", (tag, folder) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));

  test("releases its folder, if its version is the package's", async () => {
    const script = stepWith("release-sdk.yml", "GITHUB_REF_NAME");
    writeFileSync(join(checkout, "env"), "");
    expect(await runStep(script, { GITHUB_REF_NAME: `${tag}-v${version}` })).toBe(true);
    expect(readFileSync(join(checkout, "env"), "utf8")).toBe(`FOLDER=${folder}\n`);
    expect(await runStep(script, { GITHUB_REF_NAME: `${tag}-v0.0.1` })).toBe(false);
  });

  // npm refuses a package with provenance that doesn't name the repository it was built from.
  test("publishes a package that names the repository it is built from", async () => {
    const script = stepWith("release-sdk.yml", "npm pkg set");
    const github = {
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "acme/tieout",
      FOLDER: folder,
    };
    expect(await runStep(script, github)).toBe(true);
    const { repository } = JSON.parse(readFileSync(join(checkout, folder, "package.json"), "utf8"));
    expect(repository).toEqual({
      type: "git",
      url: "git+https://github.com/acme/tieout.git",
      directory: folder,
    });
    const steps = stepsOf("release-sdk.yml").map((step) => step.run ?? "");
    expect(steps.indexOf(script)).toBeLessThan(
      steps.findIndex((step) => step.startsWith("npm publish")),
    );
  });
});

test("a release for Python fails unless two builds have the same bytes", () => {
  const script = stepWith("release-python.yml", "-m build");
  expect(script).toContain("SOURCE_DATE_EPOCH");
  // A source archive contains the time at which it was made.
  expect(script).toContain("--wheel");
  expect(script).toContain("cmp ");
  expect(stepWith("release-python.yml", "pip install")).toMatch(/build==\S+ setuptools==\S+/);
});

test("the command line builds to the same bytes twice, and packs nothing else", async () => {
  const folder = join(checkout, "packed");
  const build = join(ROOT, "sdk/cli/build.mjs");
  const again = join(checkout, "again");
  for (const dist of [join(folder, "dist"), again]) await run(process.execPath, [build, dist]);
  const filesOf = (from: string) =>
    readdirSync(from, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(from.length + 1))
      .sort();
  const contentOf = (from: string) =>
    filesOf(from).map((name) => [name, readFileSync(join(from, name), "utf8")]);
  expect(contentOf(again)).toEqual(contentOf(join(folder, "dist")));

  for (const name of ["package.json", "README.md"])
    cpSync(join(ROOT, "sdk/cli", name), join(folder, name));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/secret.ts"), "");
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: folder,
  });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths.sort()).toEqual(
    ["README.md", "package.json", ...filesOf(again).map((name) => `dist/${name}`)].sort(),
  );
  for (const path of paths.filter((name) => name.startsWith("dist/")))
    expect(path).toMatch(/\.js$/);
});
