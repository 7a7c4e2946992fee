import { expect, test } from "vitest";
import { fieldName, flattenFields, valueText } from "./field-labels.ts";

test("turns a field name of any style into words", () => {
  expect(
    ["source_line", "sourceLine", "ip_allowlist", "line_ids", "minutes.high", "url"].map(fieldName),
  ).toEqual(["Source line", "Source Line", "IP allowlist", "Line IDs", "Minutes › high", "URL"]);
});

test("names every field of an object, including nested ones", () => {
  const value = {
    host: "sap",
    codes: ["1000", "1010"],
    parts: [{ amount: 5 }, { amount: 7 }],
    retry: { after_s: 30, on: true },
    none: {},
  };
  expect(flattenFields(value).map((field) => [field.name, field.value])).toEqual([
    ["Host", "sap"],
    ["Codes", ["1000", "1010"]],
    ["Parts › 1 › Amount", 5],
    ["Parts › 2 › Amount", 7],
    ["Retry › After s", 30],
    ["Retry › On", true],
    ["None", {}],
  ]);
});

test("shows a value on one line, without braces", () => {
  expect(
    [null, "", [], {}, true, 118, ["a", "b"], { source_line: 118, checked: false }].map(valueText),
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

test("shows amounts in minor units as money, in the nearest currency", () => {
  const value = { fee_minor: 250, parts: [{ open_minor: 1200, currency: "JPY" }], rest_minor: 5 };
  expect(
    flattenFields(value, { currency: "EUR" }).map((field) => [field.name, field.value]),
  ).toEqual([
    ["Fee", "€2.50"],
    ["Parts › 1 › Open", "¥1,200"],
    ["Parts › 1 › Currency", "JPY"],
    ["Rest", "€0.05"],
  ]);
  expect(flattenFields({ fee_minor: 250 })).toMatchObject([{ name: "Fee minor", value: 250 }]);
});
