import { FORMATS, type Format } from "./file-parts.ts";

const HEAD_BYTES = 64 * 1024;
const EXPECTED = "Choose a CSV file with a header row, or NDJSON with one JSON object per line.";

/** File types that people choose by mistake, by their first characters. */
const NOT_TEXT: readonly [start: string, name: string][] = [
  ["%PDF-", "a PDF"],
  ["PK\u0003\u0004", "an Excel workbook or a zip archive"],
  ["\u00d0\u00cf\u0011\u00e0", "an old Excel workbook"],
  ["\u001f\u008b", "a compressed archive"],
  ["\u0089PNG", "an image"],
  ["\u00ff\u00d8\u00ff", "an image"],
  ["GIF8", "an image"],
  ["{\\rtf", "an RTF document"],
  ["<", "a web page or XML"],
];

/**
 * Why a file can't be imported, by its first 64 KiB, or null. Rows are checked during the import.
 */
export async function faultOf(file: Blob, format: Format): Promise<string | null> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const start = String.fromCharCode(...bytes.subarray(0, 512));
  const known = NOT_TEXT.find(([text]) => start.trimStart().startsWith(text));
  if (known) return `This is ${known[1]}. ${EXPECTED}`;
  if (bytes.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 13))
    return `This isn't a text file. ${EXPECTED}`;
  const rows = new TextDecoder()
    .decode(bytes)
    .split(/\r?\n|\r/)
    .filter((line) => line.trim() !== "").length;
  if (rows === 0) return `The file is empty. ${EXPECTED}`;
  if (FORMATS[format].hasHeader && rows === 1 && file.size <= HEAD_BYTES)
    return "The file has no rows below its first line, which is read as the header.";
  return null;
}
