import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { minify } from "@swc/core";
import { afterAll, beforeAll, expect, test } from "vitest";

import type * as Next from "../src/adapters/next.ts";
import type * as Sdk from "../src/index.ts";

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

test("the main entry imports no module of Node and no package, and is small", async () => {
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

/** Loads the built package with only the globals of an edge runtime, without Node's own. */
function inEdgeRuntime(entry: string): Record<string, unknown> {
  const context = createContext({
    AbortController,
    AbortSignal,
    Blob,
    Headers,
    ReadableStream,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    atob,
    btoa,
    clearTimeout,
    crypto,
    fetch: edgeFetch,
    performance: { now: () => performance.now() },
    setTimeout: (work: () => void, ms: number) => setTimeout(work, ms),
  });
  const loaded = new Map<string, { exports: Record<string, unknown> }>();
  const load = (path: string): Record<string, unknown> => {
    const known = loaded.get(path);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    const wrapped = `(function (require, module, exports) {${readFileSync(path, "utf8")}\n})`;
    const require = (from: string) => {
      if (!from.startsWith(".")) throw new Error(`An edge runtime has no ${from}.`);
      return load(join(dirname(path), from));
    };
    runInContext(wrapped, context, { filename: path })(require, module, module.exports);
    return module.exports;
  };
  expect(runInContext("typeof process + typeof Buffer + typeof require", context)).toBe(
    "undefined".repeat(3),
  );
  return load(join(dist, "cjs", entry));
}

const CREATED = { id: "exc_1" };
let refusals = 0;
const edgeFetch = async (url: string, { body }: { body?: unknown }): Promise<Response> => {
  if (url.endsWith("/export?format=ndjson&end_mark=true"))
    return new Response('{"id":"ä"}\n{"$end":{"rows":1}}\n', {
      headers: { "content-type": "application/x-ndjson" },
    });
  if (url.includes("/imports"))
    return Response.json({ id: await new Response(body as Blob).text() });
  if (refusals++ === 0) return Response.json({ code: "unavailable" }, { status: 503 });
  return Response.json(CREATED, { status: 201, headers: { "x-request-id": "req_1" } });
};

test("an edge runtime can call, retry, export, send a file, and verify a delivery", async () => {
  const { Tieout, TieoutError, toDecimal } = inEdgeRuntime("index.js") as unknown as typeof Sdk;
  const tieout = new Tieout({ key: "id.secret", tenant: "acme", baseUrl: "https://x.example" });
  const created = tieout.exceptions.create({ title: "Payout", severity: "high" });
  expect(await created.withResponse()).toMatchObject({ data: CREATED, requestId: "req_1" });
  expect(refusals).toBe(2);
  const rows: unknown[] = [];
  for await (const row of tieout.exceptions.export()) rows.push(row);
  expect(rows).toEqual([{ id: "ä" }]);
  expect(await tieout.sources.createImport("src_1", new Blob(["a,b"]))).toEqual({ id: "a,b" });
  expect(toDecimal(125_000n, "EUR")).toBe("1250.00");

  const body = JSON.stringify({ type: "run.done", data: { a: "ä" } });
  const headers = new Headers(await tieout.webhooks.sign(body, "a secret"));
  const bytes = new TextEncoder().encode(body);
  const unwrapped = await tieout.webhooks.unwrap(bytes, headers, ["other", "a secret"]);
  expect(unwrapped).toEqual({ ...JSON.parse(body), id: "evt_test" });
  const refused = tieout.webhooks.unwrap(`${body} `, headers, "a secret");
  await expect(refused).rejects.toBeInstanceOf(TieoutError);

  const { nextWebhook } = inEdgeRuntime("adapters/next.js") as unknown as typeof Next;
  const request = new Request("https://x.example/", { method: "POST", body, headers });
  expect((await nextWebhook("a secret", () => {})(request)).status).toBe(204);
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

test("the package contains the build, its README and nothing else", async () => {
  const installed = join(consumer, "node_modules/@tieout/sdk");
  await copyFile(join(FOLDER, "README.md"), join(installed, "README.md"));
  // Files that a checkout also has.
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
