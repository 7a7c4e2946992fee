import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { openApiDocument } from "#lib/openapi/document.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { referenceOf } from "./reference.ts";

test("no other page of the docs stands at the path of a resource", () => {
  const document = openApiDocument() as unknown as Parameters<typeof referenceOf>[0];
  const { resources } = referenceOf(document, CONTRACTS);
  const pages = readdirSync(new URL("../../../app/docs/reference", import.meta.url));
  const shadowed = resources.filter(({ href }) => pages.includes(href.split("/").at(-1) ?? ""));
  expect(shadowed.map(({ href }) => href)).toEqual([]);
  expect(resources.length).toBeGreaterThan(10);
});
