import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { minify } from "@swc/core";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "..");
const ROOT = join(FOLDER, "../..");
const MAX_BYTES = 50_000;

let consumer: string;
let dist: string;
beforeAll(async () => {
  await mkdir(join(ROOT, "test-results"), { recursive: true });
  consumer = await mkdtemp(join(ROOT, "test-results/sdk-consumer-"));
  const installed = join(consumer, "node_modules/@tieout/sdk");
  dist = join(installed, "dist");
  await mkdir(installed, { recursive: true });
  await writeFile(
    join(installed, "package.json"),
    await readFile(join(FOLDER, "package.json"), "utf8"),
  );
  await run(process.execPath, [join(FOLDER, "build.mjs"), dist]);
}, 60_000);
afterAll(() => rm(consumer, { recursive: true, force: true }));

test("the examples of the README compile, as ESM and as CommonJS", async () => {
  const readme = await readFile(join(FOLDER, "README.md"), "utf8");
  const examples = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code ?? "");
  expect(examples.length).toBeGreaterThan(3);
  const files = await Promise.all(
    examples.map(async (code, at) => {
      await writeFile(join(consumer, `example-${at}.mts`), code);
      return `example-${at}.mts`;
    }),
  );
  const required = 'import { Tieout } from "@tieout/sdk";\nexport const client = Tieout;\n';
  await writeFile(join(consumer, "required.cts"), required);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2022",
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const config = { compilerOptions, files: [...files, "required.cts"] };
  await writeFile(join(consumer, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "--project", consumer]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe("");
});

test("it can be imported and required, and both have the same exports", async () => {
  const code = `const required = require("@tieout/sdk");
    import("@tieout/sdk").then((imported) => {
      console.log(Object.keys(required).sort().join() === Object.keys(imported).sort().join());
      console.log(typeof require("@tieout/sdk/node").openFile);
      for (const name of ["express", "fastify", "hono", "next"])
        console.log(typeof require("@tieout/sdk/" + name)[name + "Webhook"]);
    });`;
  const { stdout } = await run(process.execPath, ["--eval", code], { cwd: consumer });
  expect(stdout).toBe(`true\n${"function\n".repeat(5)}`);
});

test("the main entry imports nothing of Node and no package, and is small", async () => {
  const files = (await readdir(join(dist, "esm"), { recursive: true })).filter(
    (name) => name.endsWith(".js") && name !== "node.js" && !name.startsWith("adapters"),
  );
  let bytes = 0;
  for (const name of files) {
    const code = await readFile(join(dist, "esm", name), "utf8");
    const imports = [...code.matchAll(/(?:\bfrom |^import |\bimport\()"([^"]+)"/gm)].map(
      ([, from]) => from,
    );
    for (const from of imports) expect(from).toMatch(/^\.{1,2}\//);
    bytes += (await minify(code, { module: true, compress: true, mangle: true })).code.length;
  }
  expect(files).toContain("index.js");
  expect(bytes).toBeLessThan(MAX_BYTES);
});

const PUBLIC = /^(?:export (?:declare )?(?:abstract )?(?:class|interface|function|type)\b)/;
/** A method of a resource or a client. */
const METHOD = /^ {4}(?:\*?[a-z]\w*)\(/;

test("everything public has a doc comment", async () => {
  const files = (await readdir(join(dist, "esm"), { recursive: true })).filter(
    (name) => name.endsWith(".d.ts") && !/types\.gen|sleep|index/.test(name),
  );
  expect(files).toEqual(expect.arrayContaining(["request.d.ts", "node.d.ts", "tieout.d.ts"]));
  let methods = 0;
  for (const name of files) {
    const lines = (await readFile(join(dist, "esm", name), "utf8")).split("\n");
    for (const [at, line] of lines.entries()) {
      const isMethod = METHOD.test(line) && !line.includes("constructor(");
      if (isMethod) methods += 1;
      if (isMethod || PUBLIC.test(line))
        expect.soft(lines[at - 1], `${name}: ${line}`).toMatch(/\*\/$/);
    }
  }
  expect(methods).toBeGreaterThan(150);
});

test("a package holds the build, its README and nothing else", async () => {
  const installed = join(consumer, "node_modules/@tieout/sdk");
  await copyFile(join(FOLDER, "README.md"), join(installed, "README.md"));
  // What a checkout has besides.
  await mkdir(join(installed, "src"), { recursive: true });
  await writeFile(join(installed, "src/secret.ts"), "");
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: installed,
  });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths).toEqual(expect.arrayContaining(["package.json", "README.md"]));
  const others = paths.filter((path) => path !== "package.json" && path !== "README.md");
  expect(others.length).toBeGreaterThan(20);
  for (const path of others)
    expect(path).toMatch(/^dist\/(?:esm|cjs)\/(?:[\w./-]+\.(?:js|d\.ts)|package\.json)$/);
  const { dependencies } = JSON.parse(await readFile(join(FOLDER, "package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
});

test("two builds have the same bytes", async () => {
  const again = join(consumer, "again");
  await run(process.execPath, [join(FOLDER, "build.mjs"), again]);
  const contents = async (folder: string) => {
    const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length))
      .sort();
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    return names.map((name, at) => [name, texts[at]]);
  };
  expect(await contents(again)).toEqual(await contents(dist));
}, 60_000);
