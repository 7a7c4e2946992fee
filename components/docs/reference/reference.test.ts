import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { wholeReference } from "./whole-reference.test-support.ts";

test("no other page of the docs has the path of a resource", () => {
  const { resources } = wholeReference();
  const pages = readdirSync(new URL("../../../app/docs/reference", import.meta.url));
  const shadowed = resources.filter(({ href }) => pages.includes(href.split("/").at(-1) ?? ""));
  expect(shadowed.map(({ href }) => href)).toEqual([]);
  expect(resources.length).toBeGreaterThan(10);
});
