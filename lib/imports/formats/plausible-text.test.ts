/** Files whose bytes would be read as other letters, and files that only look like them. */
import { describe, expect, test } from "vitest";
import { tableEncoding } from "./csv/table-encoding.ts";
import { read } from "./field-report-cases.test-support.ts";
import { imported } from "./files/files.test-support.ts";

const table = (text: Uint8Array) =>
  Buffer.concat([
    Buffer.from("Datum;Text;Betrag\n02.10.2026;"),
    text,
    Buffer.from(";-45,20\n15.10.2026;b;300,00\n"),
  ]);
/** The bytes of a text in an encoding of one byte a character. */
const bytesIn = (encoding: string, text: string): Buffer => {
  const decoder = new TextDecoder(encoding);
  const all = Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte)));
  return Buffer.from([...text].map((letter) => all.indexOf(letter)));
};

describe("a table's text", () => {
  test.each([
    ["Windows-1252", "windows-1252", "Café „Zoë“ – l’été, 5 € à ½ Preis, Straße"],
    ["Windows-1252 in capitals", "windows-1252", "MÜLLER ÄÖÜ ÅRHUS ÆØÅ ŒUVRE"],
    ["Windows-1252 of one word", "windows-1252", "Señor"],
    ["Windows-1250, in Polish", "windows-1250", "Płatność za zakupy, wpłata własna"],
    ["ISO-8859-2, in Polish", "iso-8859-2", "Płatność kartą, książka, źródło"],
  ])("of %s is read", async (_, encoding, text) => {
    const { lines, messages } = await read(table(bytesIn(encoding, text)));
    expect(messages).toEqual([]);
    expect(lines[0]?.description).toBe(text);
  });

  test.each([
    ["Windows-1251", bytesIn("windows-1251", "Платёж по договору")],
    ["KOI8-R", bytesIn("koi8-r", "Платёж по договору")],
    ["Shift-JIS", Buffer.from("906a8d9e8e9197bf208bc793c68f5a91ee", "hex")],
    ["GBK", Buffer.from("b9bacef1cef7cec4bdf0", "hex")],
    ["code page 437", Buffer.from("4d816c6c65722053747261e165", "hex")],
    ["Mac Roman", bytesIn("macintosh", "Café à Orléans")],
    [
      "UTF-8 with a letter that was cut",
      Buffer.concat([Buffer.from("Müller Köln Größe"), Buffer.from([0xc3])]),
    ],
  ])("of %s is refused", async (_, text) => {
    const { lines, messages } = await read(table(text));
    expect(lines).toEqual([]);
    expect(messages).toEqual([expect.stringMatching(/encoding is not known.*saved as UTF-8/)]);
  });
});

describe("letters that differ in Windows-1250", () => {
  test("are recognized by the names of columns", async () => {
    const file = bytesIn("windows-1250", "Datum;Popis;Částka\n02.10.2026;Převod Dvořák;-45,20\n");
    const { lines, mapping } = await imported(file, "a.csv");
    expect(lines).toEqual(["2026-10-02 -4520 Převod Dvořák"]);
    expect(mapping?.encoding).toBe("windows-1250");
  });

  test.each([
    ["Czech koruna", "windows-1250", "Datum;Popis;Suma\n02.10.2026;Dvořák;-45,20\n", "CZK"],
    ["euro", "windows-1252", "Dato;Tekst;Beløb\n02.10.2026;Søren Ærø;-45,20\n", "EUR"],
    ["euro in France", "windows-1252", "Data;Libellé;Crédit\n02.10.2026;Orléans;-45,20\n", "EUR"],
  ] as const)("of an account in %s: %s", (_, encoding, text, currency) => {
    const head = bytesIn(encoding, text);
    expect(tableEncoding(head, "windows-1252", ";", currency)).toBe(encoding);
  });
});
