import { expect, test } from "vitest";
import { fieldName, inWords, namedValues } from "./field-labels.ts";

test("a field's name is words, whatever way it is written", () => {
  expect(
    ["source_line", "sourceLine", "ip_allowlist", "line_ids", "minutes.high", "url"].map(fieldName),
  ).toEqual(["Source line", "Source Line", "IP allowlist", "Line IDs", "Minutes › high", "URL"]);
});

test("every field of an object is named, also those inside others", () => {
  const value = {
    host: "sap",
    codes: ["1000", "1010"],
    parts: [{ amount: 5 }, { amount: 7 }],
    retry: { after_s: 30, on: true },
    none: {},
  };
  expect(namedValues(value).map((field) => [field.name, field.value])).toEqual([
    ["Host", "sap"],
    ["Codes", ["1000", "1010"]],
    ["Parts › 1 › Amount", 5],
    ["Parts › 2 › Amount", 7],
    ["Retry › After s", 30],
    ["Retry › On", true],
    ["None", {}],
  ]);
});

test("a value is read in one line, without braces", () => {
  expect(
    [null, "", [], {}, true, 118, ["a", "b"], { source_line: 118, checked: false }].map(inWords),
  ).toEqual([
    "None",
    "None",
    "None",
    "None",
    "Yes",
    "118",
    "a, b",
    "Source line: 118; Checked: No",
  ]);
});
