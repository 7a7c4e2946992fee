import { expect, test } from "vitest";
import { faultOf } from "./file-fault.ts";

const file = (...parts: BlobPart[]) => new Blob(parts);
const bytes = (...values: number[]) => new Uint8Array(values);

test.each([
  ["a PDF", file("%PDF-1.7\n", bytes(37, 226, 227, 207, 211), "\n1 0 obj"), /^This is a PDF\./],
  ["a PDF of one line", file("%PDF-1.4"), /^This is a PDF\./],
  ["a workbook", file("PK\u0003\u0004", bytes(20, 0)), /^This is an Excel workbook/],
  ["a picture", file(bytes(0x89), "PNG\r\n"), /^This is an image\./],
  ["a web page", file("\n<!DOCTYPE html><title>Sign in</title>"), /^This is a web page/],
  ["anything with zeros", file("title\u0000,severity\nA,low\n"), /^This isn't a text file\./],
  ["an empty file", file(""), /^The file is empty\./],
  ["blank lines", file("\r\n \r\n"), /^The file is empty\./],
  ["a header alone", file("title,severity\r\n"), /^The file has no rows/],
])("rejects %s and says what to choose instead", async (_what, chosen, sentence) => {
  expect(await faultOf(chosen, "csv")).toMatch(sentence);
});

test.each([
  ["csv", "title,severity\nGebühr für März,low\n"],
  ["csv", "\ufefftitle,severity\r\nA\tB,low"],
  ["ndjson", '{"title":"A","severity":"low"}'],
] as const)("accepts %s: %j", async (format, text) => {
  expect(await faultOf(file(text), format)).toBeNull();
});
