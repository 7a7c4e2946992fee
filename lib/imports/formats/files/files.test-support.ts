import { crc32, deflateRawSync } from "node:zlib";
import { openFile } from "../../opened-file.ts";
import { settleMapping } from "../../settle-mapping.ts";
import type { Mapping } from "../mapping.ts";
import { readLines } from "../read-lines.ts";

/** Reads a file as an import does, or returns its question. */
export async function imported(
  bytes: Uint8Array,
  fileName: string,
  given: Mapping | null = null,
  isPart = false,
) {
  const stream = new Blob([Buffer.from(bytes)]).stream();
  const hints = { fileName, contentType: "application/octet-stream", isPart };
  const file = await openFile(stream, hints, new Headers());
  const { mapping, questions } = await settleMapping(file, given, "EUR");
  if (questions[0]) return { question: questions[0] };
  const options = { format: file.format, currency: "EUR", ...(mapping && { mapping }) };
  const lines: string[] = [];
  const refusals: string[] = [];
  const reading = readLines(file.bytes, options);
  for await (const batch of reading) {
    for (const line of batch.lines)
      lines.push(
        `${line.value_date} ${line.amount_minor}${line.currency === "EUR" ? "" : ` ${line.currency}`} ${line.description ?? ""}`.trim(),
      );
    refusals.push(...batch.refusals.map(({ line, message }) => `${line}: ${message}`));
  }
  const warnings = reading.summary.warnings.map(({ message }) => message);
  return { lines, refusals, mapping, warnings };
}

export async function problemOf(bytes: Uint8Array, fileName: string): Promise<string> {
  const failed = await imported(bytes, fileName).catch((error: { errors: unknown }) => error);
  return JSON.stringify((failed as { errors?: unknown }).errors);
}

/** A zip with these files, stored or deflated. `statedSize`: a wrong size for the header. */
export function zipOf(files: Record<string, string | Buffer>, statedSize?: number): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(crc32(bytes), 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(statedSize ?? bytes.length, 22);
    header.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    header.copy(central, 6, 4, 28);
    central.writeUInt32LE(offset, 42);
    locals.push(header, Buffer.from(name), packed);
    centrals.push(central, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const sheetXml = (rows: string) =>
  `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;
/** A workbook of these rows; the styles from 4 on have the given formats. */
export const handMade = (
  rows: string,
  more: Record<string, string> = {},
  formats: readonly string[] = [],
) =>
  zipOf({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml":
      '<workbook xmlns:r="urn:r"><workbookPr/><sheets><sheet name="Bank" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="d.m.yy;@"/>${formats.map((code, at) => `<numFmt numFmtId="${165 + at}" formatCode="${code.replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"/>`).join("")}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="4"/>${formats.map((_, at) => `<xf numFmtId="${165 + at}"/>`).join("")}</cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": sheetXml(rows),
    ...more,
  });
export const text = (at: string, value: string) =>
  `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
export const HEADER = `<row r="1">${text("A1", "Datum")}${text("B1", "Betrag")}${text("C1", "Zweck")}</row>`;
