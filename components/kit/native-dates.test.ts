import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const COMPONENTS = new URL("../", import.meta.url);
const files = readdirSync(COMPONENTS, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".tsx"),
);

test("no page uses the browser's date or time inputs, whose format follows the browser's language", () => {
  expect(files.length).toBeGreaterThan(300);
  const native = files.filter((name) =>
    /type[:=]\s*\{?"(?:date|time|month|week|datetime-local)"/.test(
      readFileSync(new URL(name, COMPONENTS), "utf8"),
    ),
  );
  expect(native).toEqual([]);
});
