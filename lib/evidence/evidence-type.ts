import { fileTypeFromBuffer } from "file-type";
import { EVIDENCE_TYPES, type EvidenceType } from "./contract.ts";

/** A name without one of these extensions gets the first. */
const EXTENSIONS: Record<EvidenceType, readonly string[]> = {
  "application/pdf": ["pdf"],
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/tiff": ["tiff", "tif"],
  "image/heic": ["heic", "heif"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "text/csv": ["csv"],
  "message/rfc822": ["eml"],
  "text/plain": ["txt", "csv", "eml", "log", "md"],
};

/** How much of a text is examined to detect its type. */
const BEGINNING_CHARACTERS = 16_384;

/** A control character that doesn't occur in texts. */
const BINARY = /[^\P{Cc}\t\n\f\r\u0080-\u009f]/u;

/** How HTML, SVG and XML begin, after what browsers skip (mimesniff.spec.whatwg.org). */
const MARKUP = /^\s*<(?:[!?]|\/?[a-z][\w:-]*(?:[\s/>]|$))/i;

const EMAIL_HEADER = /^[!-9;-~]+:[ \t]?.*(?:\r?\n[ \t].*)*\r?\n/;
const EMAIL_FIELDS = /^(?:from|date|received|return-path|delivered-to|message-id|mime-version):/im;

/**
 * The type of a file's content, or null for content that isn't accepted as evidence: programs,
 * archives, macros, and markup that a browser would execute.
 */
export async function evidenceTypeOf(content: Uint8Array): Promise<EvidenceType | null> {
  const detected = await fileTypeFromBuffer(content);
  if (detected) {
    const { mime } = detected;
    return EVIDENCE_TYPES.find((type) => type === mime && !isText(type)) ?? null;
  }
  const text = decoded(content);
  if (!text || MARKUP.test(text)) return null;
  if (isEmail(text)) return "message/rfc822";
  return isCsv(text) ? "text/csv" : "text/plain";
}

/** The name with an extension of its type, so that a double click opens no other program. */
export function namedByType(fileName: string, type: EvidenceType): string {
  const name = fileName.replaceAll(/[/\\\p{Cc}]/gu, "_");
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const [usual, ...others] = EXTENSIONS[type];
  return extension === usual || others.includes(extension) ? name : `${name}.${usual}`;
}

function isText(type: EvidenceType): boolean {
  return type.startsWith("text/") || type === "message/rfc822";
}

/** Null for binary content. Text that isn't UTF-8 is read as Windows-1252: any bytes are valid. */
function decoded(content: Uint8Array): string | null {
  const isUtf16 = content[0] === 0xff && content[1] === 0xfe;
  const text = new TextDecoder(isUtf16 ? "utf-16le" : "windows-1252").decode(content);
  return BINARY.test(text) ? null : text.slice(0, BEGINNING_CHARACTERS).replace(/^ï»¿/, "");
}

function isEmail(text: string): boolean {
  const header = text.split(/\r?\n\r?\n/, 1)[0] ?? "";
  return EMAIL_HEADER.test(`${header}\n`) && EMAIL_FIELDS.test(header);
}

/** At least two rows, each with the same number of the same delimiter. */
function isCsv(text: string): boolean {
  const isWhole = text.length < BEGINNING_CHARACTERS;
  const rows = text.split(/\r?\n/).slice(0, isWhole ? undefined : -1);
  const filled = rows.filter((row) => row.trim() !== "").slice(0, 20);
  return (
    filled.length > 1 &&
    [";", ",", "\t", "|"].some((delimiter) => {
      const counts = filled.map((row) => fieldsOf(row, delimiter));
      return counts[0] !== undefined && counts[0] > 1 && counts.every((n) => n === counts[0]);
    })
  );
}

function fieldsOf(row: string, delimiter: string): number {
  return row.replaceAll(/"(?:[^"]|"")*"/g, "").split(delimiter).length;
}
