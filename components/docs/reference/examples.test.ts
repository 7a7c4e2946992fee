import { expect, test } from "vitest";
import { examplesOf } from "./examples.ts";
import { allOperations } from "./whole-reference.test-support.ts";

const operations = allOperations();
const examples = operations.map((operation) => ({
  id: operation.contract.operationId,
  ...Object.fromEntries(
    examplesOf(operation, "https://tieout.example").map(({ language, code }) => [language, code]),
  ),
})) as { id: string; curl: string; CLI: string; TypeScript: string; Python: string }[];
const of = (id: string) => examples.find((example) => example.id === id);

test("each operation is called by curl, by the command line and by both SDKs", () => {
  for (const { id, curl, CLI, TypeScript, Python } of examples) {
    expect.soft(curl, id).toMatch(/^curl /);
    expect.soft(CLI, id).toMatch(/(?:^|\n)tieout \w/);
    expect.soft(TypeScript, id).toMatch(/tieout\.\w+\.\w+\(/);
    expect.soft(Python, id).toMatch(/tieout\.\w+\.\w+\(/);
    expect.soft(`${CLI}${TypeScript}${Python}`, id).not.toMatch(/undefined|NaN|\[object/);
  }
  expect(examples.length).toBeGreaterThan(150);
});

test("an operation with a special command shows it", () => {
  expect(of("getMe")?.CLI).toBe("tieout whoami");
  expect(of("closeReconciliation")?.CLI).toMatch(/^tieout close rcn_\w+$/);
  expect(of("exportExceptions")?.CLI).toBe(
    "tieout export exceptions --format csv --output exceptions.csv",
  );
  expect(of("createImport")?.CLI).toMatch(
    /\nEND\n\ntieout import statement\.csv --source src_\w+$/,
  );
});

test("every export of rows is shown by its own command", () => {
  const rows = operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === "end_mark"),
  );
  expect(rows.length).toBeGreaterThan(6);
  for (const { contract } of rows)
    expect.soft(of(contract.operationId)?.CLI, contract.operationId).toMatch(/^tieout export /);
});

test("a list is read to its end, and a file is saved", () => {
  expect(of("listExceptions")?.CLI).toBe("tieout api GET /v1/exceptions --paginate");
  expect(of("listExceptions")?.TypeScript).toContain("for await (const item of items)");
  expect(of("getStatementPdf")?.CLI).toMatch(/ --output download$/);
  expect(of("listExceptions")?.Python).toContain("for item in tieout.exceptions.list():");
  expect(of("getStatementPdf")?.Python).toMatch(/for chunk in .*\.bytes\(\):\n {8}file\.write/);
  expect(of("getStatementPdf")?.TypeScript).toMatch(
    /await writeFile\("download", .*\.bytes\(\)\);/,
  );
});

test("the Python examples use the names and literals of its SDK", () => {
  expect(of("createApiKey")?.Python).toContain('tieout.api_keys.create("');
  const constants = examples.filter(({ Python }) => /: (?:true|false|null)\b/.test(Python));
  expect(constants).toEqual([]);
  expect(of("createImport")?.Python).toContain(".encode())");
});
