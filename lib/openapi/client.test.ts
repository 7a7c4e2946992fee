import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApiDocument } from "./document.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

/**
 * openapi-typescript uses the compiler's API, which TypeScript 7 removed; ts-morph contains the
 * last compiler that has it.
 */
registerHooks({
  resolve(specifier, context, next) {
    const isPrinter =
      specifier === "typescript" && context.parentURL?.includes("/openapi-typescript/");
    return isPrinter ? next(join(ROOT, "e2e/typescript-5.mjs"), context) : next(specifier, context);
  },
});

let folder: string;
beforeAll(async () => {
  const { astToString, default: openapiTS } = await import("openapi-typescript");
  // Placed below the project, so that the program finds its packages.
  await mkdir(join(ROOT, "test-results"), { recursive: true });
  folder = await mkdtemp(join(ROOT, "test-results/typed-client-"));
  await writeFile(
    join(folder, "tieout.d.ts"),
    astToString(await openapiTS(JSON.stringify(openApiDocument()))),
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "esnext",
    skipLibCheck: true,
    types: ["node"],
  };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["*.ts"] }),
  );
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Compiles a program that uses the client and returns the compiler's errors. */
async function faultsOf(program: string): Promise<string> {
  const head = `import createClient from "openapi-fetch";
import type { paths } from "./tieout.d.ts";
const client = createClient<paths>({ baseUrl: "https://tieout.example" });
const header = { "X-Tenant-Id": "acme" };
`;
  await writeFile(join(folder, "program.ts"), head + program);
  return promisify(execFile)(process.execPath, [TSC, "--project", folder]).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test("a client generated from the document lists, creates and pages, and compiles", async () => {
  const program = `
const { data, error } = await client.GET("/v1/exceptions/sla", { params: { header, query: { withinMinutes: 60, sortBy: "due_at", limit: 50 } } });
if (error) throw new Error(error.code);
const late: string[] = data.items.filter(({ minutes_to_breach }) => minutes_to_breach <= 0).map(({ id }) => id);
const open: number = data.summary.total_open;
const next: string | null = data.next_cursor;
const made = await client.POST("/v1/exceptions", { params: { header }, body: { title: "Payout", severity: "high", details: { line: 1 } } });
const id: string = made.data?.id ?? "";
await client.PATCH("/v1/exceptions/{id}", { params: { header: { ...header, "If-Match": made.response.headers.get("etag") ?? "" }, path: { id } }, body: { status: "in_review" } });
await client.GET("/v1/exceptions/sla/export", { params: { header, query: { format: "csv" } }, parseAs: "stream" });
export { late, open, next };
`;
  expect(await faultsOf(program)).toBe("");
}, 60_000);

test.each([
  [
    "an unknown sort order",
    `await client.GET("/v1/exceptions/sla", { params: { header, query: { sortBy: "urgency" } } });`,
  ],
  ["no tenant", `await client.GET("/v1/exceptions/sla", { params: {} });`],
  [
    "an unknown response field",
    `export const x = (await client.GET("/v1/me", { params: { header } })).data?.tenant;`,
  ],
])(
  "and rejects %s",
  async (_what, program) => {
    expect(await faultsOf(program)).toContain("error TS");
  },
  60_000,
);
