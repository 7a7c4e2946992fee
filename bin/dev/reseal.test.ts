import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schemaSql } from "./migration/schemas.ts";

test("a new key reseals every table of sealed values", () => {
  const command = readFileSync(new URL("../secrets.ts", import.meta.url), "utf8");
  const tables = [...schemaSql().matchAll(/create table private\.(\w+) \(([^;]*)\);/g)]
    .filter(([, , columns]) => /^ {2}sealed text not null/m.test(columns ?? ""))
    .map(([, name]) => name ?? "");
  expect(tables.length).toBeGreaterThan(3);
  for (const table of tables) expect(command).toContain(`from private.${table}`);
});
