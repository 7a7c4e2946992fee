import { deflateRawSync } from "node:zlib";
import { downloadZip } from "client-zip";
import { describe, expect, test } from "vitest";
import { evidenceTypeOf, namedByType } from "./evidence-type.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

async function workbook(contentType: string): Promise<Uint8Array> {
  const types =
    `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
    `<Override PartName="/xl/workbook.xml" ContentType="${contentType}"/></Types>`;
  const files = [
    { name: "[Content_Types].xml", input: types },
    { name: "xl/workbook.xml", input: "<workbook/>" },
  ];
  return new Uint8Array(await downloadZip(files).arrayBuffer());
}

describe("the type of a file", () => {
  test.each<[string, Uint8Array, string]>([
    ["a PDF", bytes("%PDF-1.7\n%âãÏÓ\n1 0 obj\n"), "application/pdf"],
    ["an image", PNG, "image/png"],
    ["an email", bytes("From: eva@x.example\r\nSubject: Fee\r\n\r\nFine."), "message/rfc822"],
    ["rows", bytes("Date;Amount\n2026-10-14;12,50\n"), "text/csv"],
    ["rows with quotes", bytes('a,b\n"x, y",2\n'), "text/csv"],
    ["prose", bytes("Approved by phone, 14 October.\nEva"), "text/plain"],
    ["prose in Windows-1252", Buffer.from("Geb\xfchr genehmigt", "latin1"), "text/plain"],
    ["prose in UTF-16", Buffer.from("\ufeffGebühr genehmigt", "utf16le"), "text/plain"],
    ["prose with a less-than sign", bytes("a < b"), "text/plain"],
    ["prose that begins with an address", bytes("<eva@x.example> agreed."), "text/plain"],
  ])("is detected by its content: %s", async (_what, content, type) => {
    expect(await evidenceTypeOf(content)).toBe(type);
  });

  test("of a workbook is detected by its parts, and one with macros is refused", async () => {
    const plain = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
    expect(await evidenceTypeOf(await workbook(plain))).toBe(
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    );
    const macros = "application/vnd.ms-excel.sheet.macroEnabled.main+xml";
    expect(await evidenceTypeOf(await workbook(macros))).toBeNull();
  });

  test("is never detected by inflating a workbook that expands a thousandfold", async () => {
    const huge = deflateRawSync(Buffer.alloc(200_000_000, " "));
    expect(huge.length).toBeLessThan(250_000);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(huge.length, 18);
    header.writeUInt32LE(200_000_000, 22);
    header.writeUInt16LE("[Content_Types].xml".length, 26);
    const before = process.memoryUsage().rss;
    const bomb = Buffer.concat([header, bytes("[Content_Types].xml"), huge]);
    expect(await evidenceTypeOf(bomb)).toBeNull();
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  test.each<[string, Uint8Array]>([
    ["HTML", bytes("<!DOCTYPE html><script>alert(1)</script>")],
    ["HTML after a comment and white space", bytes("\ufeff \n<!-- x --> <HTML><body>")],
    ["a script alone", bytes("<script>alert(1)</script>")],
    ["SVG", bytes('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ["a tag that runs code as it loads", bytes("<video><source onerror=alert(1)>")],
    ["a tag of another vocabulary", bytes("<math><mtext></mtext></math>")],
    ["a closing tag and HTML", bytes("</p><script>alert(1)</script>")],
    ["XML", bytes('<?xml version="1.0"?><svg/>')],
    ["a program", Buffer.from("7f454c460201010000000000000000000200", "hex")],
    ["an archive", Buffer.from("504b0506000000000000000000000000000000000000", "hex")],
    ["nothing", Buffer.alloc(0)],
    ["unknown bytes", Buffer.from([1, 2, 3, 0, 255])],
    ["a text with a byte of zero", bytes(`Approved.${" ".repeat(40_000)}\0`)],
  ])("can't be %s", async (_what, content) => {
    expect(await evidenceTypeOf(content)).toBeNull();
  });
});

describe("a file's name", () => {
  test.each([
    ["note.pdf", "note.pdf"],
    ["Note.PDF", "Note.PDF"],
    ["note.html", "note.html.pdf"],
    ["note", "note.pdf"],
    ["../../etc/passwd", ".._.._etc_passwd.pdf"],
  ])("gets the extension of its type: %s", (name, expected) => {
    expect(namedByType(name, "application/pdf")).toBe(expected);
  });
});
