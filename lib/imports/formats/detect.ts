import { CAMT_MESSAGES, CAMT_NAMESPACE, CAMT_VERSIONS } from "./camt/camt.ts";
import { delimiterOf } from "./csv/csv-layout.ts";
import { type CsvDescription, describeCsv, type Layout, type Question } from "./csv/csv-mapping.ts";
import { type DetectedEncoding, decoderOf, encodingOf, requireReadable } from "./encoding.ts";
import { type Encoding, FORMATS, type Format, type Mapping, READABLE } from "./mapping.ts";
import { HEAD_BYTES } from "./reader.ts";
import { refuseFile } from "./refusal.ts";

/**
 * `layout`: a person's settings for a CSV file, or the path of the lines in a JSON document. They
 * override what is detected from the bytes.
 */
export type Hint = {
  fileName?: string;
  contentType?: string;
  layout?: Layout & Pick<Mapping, "lines_path">;
};

export type Detection = {
  format: Format;
  /** camt: 01 to 13; OFX: 102, 211, …; null for other formats. */
  version: string | null;
  encoding: Encoding;
  /** Whether it has a byte order mark. */
  bom: boolean;
  /** For CSV: its layout, its first rows and the mapping as far as it can be inferred. */
  csv: CsvDescription | null;
  /** The questions to answer before the file can be read as intended. */
  questions: Question[];
};

const AS_CSV = "the sheet saved as CSV";
const UNPACKED = "the file unpacked";
const FOR_PROGRAMS = "the statement in a format for programs, such as camt.053, MT940 or CSV";

/**
 * Files that people upload by mistake: their first bytes as Latin-1, a text that the head contains,
 * and what to upload instead.
 */
const UNSUPPORTED_FILES: { name: string; starts: string[]; has?: string; wanted: string }[] = [
  { name: "an Excel workbook", starts: ["PK\x03\x04"], has: "xl/", wanted: AS_CSV },
  { name: "an Excel workbook", starts: ["PK\x03\x04"], has: "[Content_Types].xml", wanted: AS_CSV },
  {
    name: "an OpenDocument spreadsheet",
    starts: ["PK\x03\x04"],
    has: "opendocument.spreadsheet",
    wanted: AS_CSV,
  },
  {
    name: "an Excel workbook as XML",
    starts: ["<?xml"],
    has: "urn:schemas-microsoft-com:office:spreadsheet",
    wanted: AS_CSV,
  },
  {
    name: "a zip archive",
    starts: ["PK\x03\x04", "PK\x05\x06"],
    wanted: "the files in it, one by one",
  },
  { name: "an old Excel workbook", starts: ["\xD0\xCF\x11\xE0"], wanted: AS_CSV },
  { name: "a gzip archive", starts: ["\x1F\x8B"], wanted: UNPACKED },
  {
    name: "a compressed archive",
    starts: ["BZh", "\xFD7zXZ", "7z\xBC\xAF", "Rar!", "\x28\xB5\x2F\xFD"],
    wanted: UNPACKED,
  },
  { name: "a PDF", starts: ["%PDF-"], wanted: FOR_PROGRAMS },
  {
    name: "an image",
    starts: ["\x89PNG", "\xFF\xD8\xFF", "GIF8", "II*\0", "MM\0*"],
    wanted: FOR_PROGRAMS,
  },
  { name: "an image", starts: ["RIFF"], has: "WEBP", wanted: FOR_PROGRAMS },
  // An entry of IIF has a row for every account that it books to.
  {
    name: "a QuickBooks file (IIF)",
    starts: ["!TRNS\t", "!HDR\t", "!ACCNT\t", "!CUST\t", "!VEND\t"],
    wanted: FOR_PROGRAMS,
  },
  {
    name: "a Quicken file (QIF)",
    starts: ["!Type:", "!type:", "!Account", "!Option:"],
    wanted: FOR_PROGRAMS,
  },
  { name: "an RTF document", starts: ["{\\rtf"], wanted: "a text file" },
];

/**
 * Detects the format from a file's first bytes; 64 KiB (`HEAD_BYTES`) are enough. Its name and
 * media type only affect the messages of refusals.
 * @throws FileRefused with a plain explanation for a file in a format that we don't read: an
 *   archive, a PDF, a workbook, a picture, a web page, an empty file
 */
export function detect(head: Uint8Array, hint: Hint = {}): Detection {
  const raw = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  const unsupported = UNSUPPORTED_FILES.find(
    ({ starts, has }) =>
      starts.some((start) => raw.startsWith(start)) && (has === undefined || raw.includes(has)),
  );
  if (unsupported)
    throw refused(`This is ${unsupported.name}.`, hint.fileName ?? "", unsupported.wanted);
  const { layout = {} } = hint;
  const found: DetectedEncoding = layout.encoding
    ? { encoding: layout.encoding, bom: false, isUndecided: false, misread: null }
    : encodingOf(head);
  const { encoding, bom } = found;
  const text = decoderOf(encoding).decode(head);
  if (text.trim() === "") throw refused("The file is empty.", "", READABLE);
  // A mapping with a separator declares that the file is a table.
  const known = layout.delimiter ? undefined : formatOf(text);
  if (known?.format === "ndjson" && layout.lines_path !== undefined) known.format = "json";
  if (!known && isBinary(text.slice(0, 4_096)))
    throw refused("This is not a text file.", hint.fileName ?? "", READABLE);
  requireReadable(found);
  if (known) return { ...known, encoding, bom, csv: null, questions: [] };
  const table = describeCsv(text, layout.delimiter ?? delimiterOf(text), {
    hasHeader: layout.header_row,
    isWhole: head.length < HEAD_BYTES,
  });
  if (table)
    return {
      format: "csv",
      version: null,
      encoding,
      bom,
      csv: table.csv,
      questions: table.questions,
    };
  if (layout.delimiter)
    throw refused(
      "With this separator no column has dates or amounts.",
      text.trim().slice(0, 60),
      "another separator",
    );
  const isCsv =
    /\.(?:csv|tsv)$/i.test(hint.fileName ?? "") ||
    /^text\/(?:csv|tab-separated-values)/.test(hint.contentType ?? "");
  throw refused(
    isCsv ? "The CSV has only one column." : "This is not a format we read.",
    text.trim().slice(0, 60),
    isCsv ? "cells separated by , ; | or tabs" : READABLE,
  );
}

/** Whether a text has control characters other than tabs and line breaks. */
function isBinary(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 && code !== 9 && code !== 10 && code !== 13) return true;
  }
  return false;
}

function formatOf(text: string): { format: Format; version: string | null } | undefined {
  const start = text.trimStart();
  if (/^<!DOCTYPE html|^<html[\s>]|^<head[\s>]/i.test(start)) {
    throw refused(
      "This is a web page.",
      start.slice(0, 60),
      "the file itself; perhaps the bank's session had ended when it was saved",
    );
  }
  if (/^OFXHEADER:/i.test(start) || /^<OFX>/i.test(start) || /^<\?OFX\b/i.test(start))
    return { format: "ofx", version: /VERSION\s*[:=]\s*"?(\d{3})/i.exec(start)?.[1] ?? null };
  if (start.startsWith("<")) return xmlFormat(start);
  if (/^[[{]/.test(start) && !/^\{[1-5]:/.test(start))
    return { format: jsonFormat(start), version: null };
  if (/^01,[^,]*,[^,]*,\d{6},/.test(start)) return { format: "bai2", version: null };
  return swiftFormat(text);
}

function xmlFormat(start: string): { format: Format; version: string | null } {
  if (/<!DOCTYPE/i.test(start))
    throw refused(
      "The XML has a document type, which bank files never have.",
      /<!DOCTYPE[^>]{0,60}/i.exec(start)?.[0] ?? "",
      "XML without DOCTYPE and entities",
    );
  if (/<\?OFX\b/i.test(start) || /<(?:\w+:)?OFX[\s>]/i.test(start))
    return {
      format: "ofx",
      version: /<\?OFX[^<>]*\bVERSION\s*=\s*"(\d{3})/i.exec(start)?.[1] ?? null,
    };
  for (const [, uri = ""] of start.matchAll(/xmlns(?::[\w.-]+)?\s*=\s*["']([^"']{1,200})["']/g)) {
    const [, name, version = ""] = CAMT_NAMESPACE.exec(uri) ?? [];
    const format = FORMATS.find((one) => one === name);
    if (format === undefined) continue;
    if (Number(version) >= CAMT_VERSIONS.first && Number(version) <= CAMT_VERSIONS.last)
      return { format, version };
    throw refused(
      "This version is not known.",
      `${format}.001.${version}`,
      `${format}.001.01 to .${CAMT_VERSIONS.last}`,
    );
  }
  const message = /<(?:[\w.-]+:)?(BkToCstmr\w{1,20})[\s>]/.exec(start)?.[1] ?? "";
  const format = CAMT_MESSAGES[message];
  if (format) return { format, version: null };
  const namespace = /xmlns(?::[\w.-]+)?\s*=\s*["']([^"']{1,200})["']/.exec(start)?.[1];
  throw refused(
    "This is XML, but no statement.",
    namespace ?? start.slice(0, 60),
    "camt.052, camt.053, camt.054 or OFX",
  );
}

/** NDJSON has an object on each line; JSON is one list, or one object with a list `lines`. */
function jsonFormat(start: string): "json" | "ndjson" {
  if (start.startsWith("[")) return "json";
  const [first = "", ...others] = start.split("\n");
  const isWhole = isJson(first);
  if (isWhole && others.some((line) => line.trim().startsWith("{"))) return "ndjson";
  if (/"lines"\s*:\s*\[/.test(start)) return "json";
  return isWhole || others.length === 0 ? "ndjson" : "json";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function swiftFormat(text: string): { format: Format; version: null } | undefined {
  const has = (tag: string) => new RegExp(`^(?:\\{1:.*\\{4:)?:${tag}:`, "m").test(text);
  if (!has("20") && !has("25") && !/^\{1:F\d{2}/m.test(text)) return undefined;
  // In a file that also has statements, interim reports contain only provisional entries.
  if (/\{2:[IO]940/.test(text) || has("60[FM]") || has("62[FM]"))
    return { format: "mt940", version: null };
  if (/\{2:[IO]942/.test(text)) return { format: "mt942", version: null };
  if (has("34F") || has("13D?") || has("90[CD]")) return { format: "mt942", version: null };
  return has("61") || has("28C?") ? { format: "mt940", version: null } : undefined;
}

function refused(problem: string, found: string, wanted: string): Error {
  return refuseFile({ line: 1 }, null, problem, found, wanted);
}
