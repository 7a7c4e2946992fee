import { isAscii } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { ENCODINGS, type Encoding } from "./mapping.ts";
import { firstMisplaced, misplacedShare } from "./plausible-text.ts";
import { refuseFile } from "./refusal.ts";

const BOMS: [Encoding, number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** The names of encodings in the declarations of XML and OFX. */
const ENCODING_NAMES = new Map<string, Encoding>([
  ...ENCODINGS.map((encoding) => [encoding, encoding] as const),
  ["utf8", "utf-8"],
  ["unicode", "utf-8"],
  ["us-ascii", "windows-1252"],
  ["usascii", "windows-1252"],
  ["ascii", "windows-1252"],
  ["iso-8859-1", "windows-1252"],
  ["8859-1", "windows-1252"],
  ["latin1", "windows-1252"],
  ["cp1252", "windows-1252"],
  ["1252", "windows-1252"],
  ["1250", "windows-1250"],
  ["cp1250", "windows-1250"],
]);

/**
 * `isUndecided`: the file doesn't declare UTF-8, and its head is all ASCII, which proves nothing.
 * `misread`: text that no encoding decodes plausibly; null if one does.
 */
export type DetectedEncoding = {
  encoding: Encoding;
  bom: boolean;
  isUndecided: boolean;
  misread: string | null;
};

/** Single-byte encodings, likeliest first. */
const SINGLE_BYTE: Encoding[] = ["windows-1252", "windows-1250", "iso-8859-2"];
/** The maximum share of misplaced characters of a plausible encoding. */
const MAX_MISPLACED_SHARE = 0.2;

/**
 * The encoding of a file by its first bytes: byte order mark, then the zeros of UTF-16, then an XML
 * declaration or an OFX header, then UTF-8 if the bytes are valid, otherwise the first of
 * Windows-1252, Windows-1250 and ISO-8859-2 whose text looks like words.
 */
export function encodingOf(head: Uint8Array): DetectedEncoding {
  for (const [encoding, mark] of BOMS)
    if (mark.every((byte, at) => head[at] === byte))
      return { encoding, bom: true, isUndecided: false, misread: null };
  const utf16 = utf16Encoding(head);
  if (utf16) return { encoding: utf16, bom: false, isUndecided: false, misread: null };
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const declared = declaredEncoding(bytes.toString("latin1", 0, 2_048));
  if (declared && !declared.startsWith("utf-16") && (declared !== "windows-1252" || !isUtf8(bytes)))
    return { encoding: declared, bom: false, isUndecided: false, misread: null };
  if (isUtf8(bytes))
    return { encoding: "utf-8", bom: false, isUndecided: isAscii(bytes), misread: null };
  return { ...singleByteEncoding(bytes), bom: false, isUndecided: false };
}

function singleByteEncoding(bytes: Buffer): Pick<DetectedEncoding, "encoding" | "misread"> {
  const texts = SINGLE_BYTE.map((encoding) => ({
    encoding,
    text: decoderOf(encoding).decode(bytes),
  }));
  const found = texts.find(({ text }) => misplacedShare(text) <= MAX_MISPLACED_SHARE);
  if (found) return { encoding: found.encoding, misread: null };
  return { encoding: "windows-1252", misread: firstMisplaced(texts[0]?.text ?? "") };
}

/** @throws FileRefused for a file whose text would be misread */
export function requireReadable({ misread }: DetectedEncoding): void {
  if (misread === null) return;
  throw refuseFile(
    { line: 1 },
    null,
    "The file's encoding is not known.",
    misread,
    `the file saved as UTF-8, or a mapping with its encoding: ${ENCODINGS.join(", ")}`,
  );
}

/** Detects UTF-16 by zeros in every other byte, which text in Western scripts has. */
function utf16Encoding(head: Uint8Array): Encoding | undefined {
  const length = Math.min(head.length, 512) & ~1;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at++) if (head[at] === 0) at % 2 === 0 ? even++ : odd++;
  const threshold = (length / 2) * 0.8;
  if (length >= 8 && odd >= threshold && even === 0) return "utf-16le";
  return length >= 8 && even >= threshold && odd === 0 ? "utf-16be" : undefined;
}

/**
 * @throws FileRefused for a declared XML encoding that we don't support, because decoding with
 *   another one would change letters.
 */
function declaredEncoding(start: string): Encoding | undefined {
  const xml = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1];
  if (xml !== undefined) {
    const encoding = ENCODING_NAMES.get(xml.toLowerCase());
    // UTF-16 was already recognized by its bytes.
    if (encoding === undefined && !/^utf-?16/i.test(xml))
      throw refuseFile(
        { line: 1 },
        null,
        "The XML's encoding is not known.",
        xml,
        ENCODINGS.join(", "),
      );
    return encoding;
  }
  const charset = /^\s*OFXHEADER:[\s\S]{0,400}?\bCHARSET:\s*([\w-]{1,40})/.exec(start)?.[1];
  const unicode = /^\s*OFXHEADER:[\s\S]{0,400}?\bENCODING:\s*(UTF-8|UNICODE)/.exec(start)?.[1];
  return ENCODING_NAMES.get((unicode ?? charset ?? "").toLowerCase());
}

/** Whether the bytes are valid UTF-8; a character cut off at their end is allowed. */
function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export type Decoder = { decode: (bytes: Uint8Array) => string; end: () => string };

/**
 * Decodes bytes as they arrive: a character may be split between two chunks. Invalid bytes become
 * U+FFFD.
 */
export function decoderOf(encoding: Encoding): Decoder {
  if (encoding !== "utf-8") {
    const decoder = new TextDecoder(encoding);
    return {
      decode: (bytes) => decoder.decode(bytes, { stream: true }),
      end: () => decoder.decode(),
    };
  }
  // Strings from a streaming TextDecoder use two bytes per letter; those from StringDecoder use one
  // where possible.
  const decoder = new StringDecoder("utf8");
  let isStart = true;
  return {
    decode(bytes) {
      const text = decoder.write(bufferOf(bytes));
      if (!isStart || text === "") return text;
      isStart = false;
      return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    },
    end: () => decoder.end(),
  };
}

/**
 * A decoder that chooses the encoding by the first bytes beyond ASCII, wherever they occur: UTF-8
 * if they form a UTF-8 character, otherwise Windows-1252.
 */
export function detectingDecoder(): Decoder {
  let decoder: Decoder | undefined;
  /** Bytes that may be the beginning of a character. */
  let pending = Buffer.alloc(0);
  return {
    decode(bytes) {
      if (decoder) return decoder.decode(bytes);
      const buffer = pending.length > 0 ? Buffer.concat([pending, bytes]) : bufferOf(bytes);
      const at = isAscii(buffer) ? buffer.length : buffer.findIndex((byte) => byte > 127);
      const ascii = buffer.toString("latin1", 0, at);
      pending = Buffer.from(buffer.subarray(at));
      if (pending.length === 0) return ascii;
      const first = pending.subarray(0, characterLength(pending[0] ?? 0));
      if (isUtf8(first) && first.length < characterLength(pending[0] ?? 0)) return ascii;
      decoder = decoderOf(isUtf8(first) ? "utf-8" : "windows-1252");
      return ascii + decoder.decode(pending);
    },
    end: () => decoder?.end() ?? new TextDecoder("windows-1252").decode(pending),
  };
}

function characterLength(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
