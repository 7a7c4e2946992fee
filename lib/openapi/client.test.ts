import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publishedDocument } from "./published.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

/**
 * Two generators use the compiler's API, which TypeScript 7 removed; ts-morph contains the last
 * compiler that has it.
 */
registerHooks({
  resolve(specifier, context, next) {
    const isPrinter =
      specifier === "typescript" &&
      /\/(?:openapi-typescript|@hey-api)\//.test(context.parentURL ?? "");
    return isPrinter ? next(join(ROOT, "e2e/typescript-5.mjs"), context) : next(specifier, context);
  },
});

/** The generators that users of the document use. */
const document = JSON.parse(JSON.stringify(publishedDocument()));

let folder: string;
beforeAll(async () => {
  const { astToString, default: openapiTS } = await import("openapi-typescript");
  // Placed inside the project, so that the program finds its packages.
  await mkdir(join(ROOT, "test-results"), { recursive: true });
  folder = await mkdtemp(join(ROOT, "test-results/typed-client-"));
  await writeFile(
    join(folder, "tieout.d.ts"),
    astToString(await openapiTS(JSON.stringify(document))),
  );
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Compiles a program that uses the client and returns the compiler's errors. */
async function faultsOf(program: string): Promise<string> {
  const head = `import createClient from "openapi-fetch";
import type { paths } from "./tieout.d.ts";
const headers = { Authorization: "Bearer …", "X-Tenant-Id": "acme" };
const client = createClient<paths>({ baseUrl: "https://tieout.example", headers });
`;
  await writeFile(join(folder, "program.ts"), head + program);
  return compile("program.ts");
}

/** Compiles a file of the folder, with what it imports, and returns the compiler's errors. */
async function compile(file: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "esnext",
    moduleResolution: "bundler",
    target: "esnext",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
  };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: [file] }),
  );
  return promisify(execFile)(process.execPath, [TSC, "--project", folder]).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test("a client generated from the document lists, creates and pages, and compiles", async () => {
  const program = `
const { data, error } = await client.GET("/v1/exceptions/sla", { params: { query: { withinMinutes: 60, severity: ["critical", "high"], sortBy: "due_at", limit: 50 } } });
if (error) throw new Error(error.code);
const late: string[] = data.items.filter(({ minutes_to_breach }) => minutes_to_breach <= 0).map(({ id }) => id);
const open: number = data.summary.total_open;
const next: string | null = data.next_cursor;
const created = await client.POST("/v1/exceptions", { body: { title: "Payout", severity: "high", details: { line: 1 } } });
const id: string = created.data?.id ?? "";
await client.PATCH("/v1/exceptions/{id}", { params: { header: { "If-Match": created.response.headers.get("etag") ?? "" }, path: { id } }, body: { status: "in_review" } });
await client.GET("/v1/exceptions/sla/export", { params: { query: { format: "csv" } }, parseAs: "stream" });
export { late, open, next };
`;
  expect(await faultsOf(program)).toBe("");
}, 60_000);

test.each([
  [
    "an unknown sort order",
    `await client.GET("/v1/exceptions/sla", { params: { query: { sortBy: "urgency" } } });`,
  ],
  [
    "a list as one text",
    `await client.GET("/v1/exceptions/sla", { params: { query: { severity: "critical,high" } } });`,
  ],
  ["an unknown response field", `export const x = (await client.GET("/v1/me")).data?.tenant;`],
])(
  "a generated client rejects %s",
  async (_what, program) => {
    expect(await faultsOf(program)).toContain("error TS");
  },
  60_000,
);

test("orval generates a client that compiles, with one type a resource", async () => {
  const { generate } = await import("orval");
  const target = join(folder, "orval.ts");
  await generate({ input: { target: document }, output: { target, client: "fetch" } });
  await expectResources(target);
  expect(await compile("orval.ts")).toBe("");
}, 60_000);

test("hey-api generates a client that compiles, with one type a resource", async () => {
  const { createClient } = await import("@hey-api/openapi-ts");
  await createClient({
    input: document,
    output: join(folder, "hey"),
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent", file: false },
  });
  await expectResources(join(folder, "hey/types.gen.ts"));
  expect(await compile("hey/sdk.gen.ts")).toBe("");
}, 60_000);

/** A generator numbers the types of schemas that it can't name. */
async function expectResources(file: string): Promise<void> {
  const source = await readFile(file, "utf8");
  const names = [...source.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name);
  for (const name of ["SlaException", "Run", "Reconciliation", "ExceptionComment"])
    expect(names.filter((item) => item?.replace(/(?:Input|Output|\d+)$/, "") === name)).toEqual([
      name,
    ]);
  expect(names.filter((name) => /\D[2-9]$/.test(name ?? ""))).toEqual([]);
}
