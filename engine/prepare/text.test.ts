import { expect, test } from "vitest";
import { Lines } from "../lines.ts";
import { Hasher } from "./hash.ts";
import { hashText, joined, MAX_WORDS, type TextField, wordRanges, wordsOf } from "./text.ts";
import { Vocabulary } from "./vocabulary.ts";

function sameForm(a: string, b: string, field: TextField): boolean {
  const lines = new Lines("left", 2);
  for (const [handle, text] of [a, b].entries()) {
    lines.add({
      handle,
      identity: String(handle),
      amount_minor: 1,
      currency: "EUR",
      value_date: 0,
      [field]: text,
    });
  }
  return lines.hashes[field].has(0) && lines.hashes[field].equal(0, lines.hashes[field], 1);
}

test("a reference is the same without its noise, gaps, case and leading zeros", () => {
  expect(sameForm("INV-10423", "Invoice no. 10423", "reference")).toBe(true);
  expect(sameForm("RF18 5390 0754", "rf1853900754", "reference")).toBe(true);
  expect(sameForm("0000123", "123", "reference")).toBe(true);
  expect(sameForm("10423", "10432", "reference")).toBe(false);
});

test("a name is the same without accents, case, punctuation and legal form", () => {
  expect(sameForm("Müller & Söhne GmbH", "MULLER SOHNE", "counterparty")).toBe(true);
  expect(sameForm("Łódź Wełna", "LODZ WELNA", "counterparty")).toBe(true);
  expect(sameForm("ＡＣＭＥ Ltd.", "acme", "counterparty")).toBe(true);
  expect(sameForm("Muller", "Miller", "counterparty")).toBe(false);
});

test("a text of noise words is used, one of punctuation counts as missing", () => {
  expect(wordsOf("Invoice", "reference")).toEqual(["INVOICE"]);
  expect(sameForm("---", "---", "reference")).toBe(false);
});

test("bytes and their words have the same hash", () => {
  const texts = [
    "INV-0012 77",
    "a b  c",
    "00",
    "0",
    "Zoë 12",
    "ref",
    "X-0-1",
    "GmbH Adler",
    "no 5",
    "…",
  ];
  for (const field of ["reference", "counterparty", "description"] as const) {
    for (const text of texts) {
      const [direct, byWords] = [new Hasher(), new Hasher()];
      const bytes = Buffer.from(text);
      const words = wordsOf(text, field);
      const found = hashText(direct, bytes, 0, bytes.length, field);
      expect(found).toBe(words.length > 0);
      if (!found) continue;
      byWords.start(0);
      for (const letter of field === "reference" ? joined(words) : words.join(" "))
        byWords.word(letter.charCodeAt(0));
      byWords.finish();
      expect([direct.high, direct.low], `${field} ${text}`).toEqual([byWords.high, byWords.low]);
    }
  }
});

test("words are the same whether read from bytes or from a string", () => {
  const texts = [
    "INV-0012 77",
    "a b  c",
    "000",
    "0",
    "0012",
    "X-0-1",
    "ACME ltd and Sons",
    "no 005",
    "--",
    "rg 0 7",
    "A".repeat(300),
  ];
  const ranges = new Int32Array(2 * MAX_WORDS);
  const vocabulary = new Vocabulary();
  for (const field of ["reference", "counterparty", "description", "group_key"] as const) {
    for (const text of texts) {
      const bytes = Buffer.from(text);
      const count = wordRanges(bytes, 0, bytes.length, field, ranges);
      const read = Array.from({ length: count }, (_, at) =>
        vocabulary.idOfBytes(bytes, ranges[2 * at] ?? 0, ranges[2 * at + 1] ?? 0),
      );
      expect(
        read.map((id) => vocabulary.spelling[id]),
        `${field} ${text}`,
      ).toEqual(wordsOf(text, field));
      expect(read).toEqual(wordsOf(text, field).map((word) => vocabulary.idOf(word)));
    }
  }
  for (const text of ["Zoë", "ref", "1 ".repeat(MAX_WORDS + 1)])
    expect(wordRanges(Buffer.from(text), 0, Buffer.byteLength(text), "reference", ranges)).toBe(-1);
});

test("a text round-trips, also as bytes and if cut within a character", () => {
  const lines = new Lines("left", 1);
  const long = "é".repeat(700);
  lines.add({
    handle: 1,
    identity: "a",
    amount_minor: 1,
    currency: "EUR",
    value_date: 0,
    reference: Buffer.from("Ü 1"),
    description: long,
    group_key: "k",
  });
  expect(lines.text(0, "reference")).toBe("Ü 1");
  expect(lines.text(0, "counterparty")).toBeNull();
  expect(lines.text(0, "description")).toBe("é".repeat(500));
  expect(lines.text(0, "group_key")).toBe("k");
});

test("amounts that are no safe integers and currencies that are no codes are refused", () => {
  const lines = new Lines("left", 1);
  const line = { handle: 1, identity: "a", amount_minor: 1, currency: "EUR", value_date: 0 };
  expect(() => lines.add({ ...line, amount_minor: 2 ** 53 })).toThrow(RangeError);
  expect(() => lines.add({ ...line, amount_minor: 0.5 })).toThrow(RangeError);
  expect(() => lines.add({ ...line, currency: "euro" })).toThrow(RangeError);
  expect(lines.length).toBe(0);
});
