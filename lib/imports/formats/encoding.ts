import { isAscii } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { ENCODINGS, type Encoding } from "./mapping.ts";
import { refuseFile } from "./refusal.ts";

const BOMS: [Encoding, number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Names that declarations in XML and OFX use. */
const NAMES = new Map<string, Encoding>([
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

/** `open`: that it is UTF-8 was not said, and so far all of it is ASCII, which says nothing. */
export type Found = { encoding: Encoding; bom: boolean; open: boolean };

/**
 * The encoding of a file by its first bytes: byte order mark, then the zeros of UTF-16, then what
 * an XML declaration or an OFX header says, then UTF-8 where the bytes are UTF-8, then
 * Windows-1252.
 */
export function encodingOf(head: Uint8Array): Found {
  for (const [encoding, mark] of BOMS)
    if (mark.every((byte, at) => head[at] === byte)) return { encoding, bom: true, open: false };
  const wide = wideEncoding(head);
  if (wide) return { encoding: wide, bom: false, open: false };
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const declared = declaredEncoding(bytes.toString("latin1", 0, 2_048));
  if (declared && !declared.startsWith("utf-16") && (declared !== "windows-1252" || !isUtf8(bytes)))
    return { encoding: declared, bom: false, open: false };
  const encoding = isUtf8(bytes) ? "utf-8" : "windows-1252";
  return { encoding, bom: false, open: encoding === "utf-8" && isAscii(bytes) };
}

/** Zeros in every other byte: text of western scripts in UTF-16. */
function wideEncoding(head: Uint8Array): Encoding | undefined {
  const length = Math.min(head.length, 512) & ~1;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at++) if (head[at] === 0) at % 2 === 0 ? even++ : odd++;
  const most = (length / 2) * 0.8;
  if (length >= 8 && odd >= most && even === 0) return "utf-16le";
  return length >= 8 && even >= most && odd === 0 ? "utf-16be" : undefined;
}

/** @throws FileRefused for an encoding of XML that we do not read: another one would give other letters. */
function declaredEncoding(start: string): Encoding | undefined {
  const xml = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1];
  if (xml !== undefined) {
    const encoding = NAMES.get(xml.toLowerCase());
    // Of UTF-16 the bytes have said so already.
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
  return NAMES.get((unicode ?? charset ?? "").toLowerCase());
}

/** A character cut at the head's end does not speak against UTF-8. */
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
 * Bytes as they come to text: a character may be cut between two chunks. What is no character
 * becomes U+FFFD.
 */
export function decoderOf(encoding: Encoding): Decoder {
  if (encoding !== "utf-8") {
    const decoder = new TextDecoder(encoding);
    return {
      decode: (bytes) => decoder.decode(bytes, { stream: true }),
      end: () => decoder.decode(),
    };
  }
  // TextDecoder keeps two bytes for each letter of a stream; this one, one where it can.
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
 * Decides by the first bytes beyond ASCII, wherever they come: UTF-8 where they are a character of
 * it, else Windows-1252.
 */
export function openDecoder(): Decoder {
  let decoder: Decoder | undefined;
  /** The beginning of what may be a character. */
  let held = Buffer.alloc(0);
  return {
    decode(bytes) {
      if (decoder) return decoder.decode(bytes);
      const buffer = held.length > 0 ? Buffer.concat([held, bytes]) : bufferOf(bytes);
      const at = isAscii(buffer) ? buffer.length : buffer.findIndex((byte) => byte > 127);
      const ascii = buffer.toString("latin1", 0, at);
      held = Buffer.from(buffer.subarray(at));
      if (held.length === 0) return ascii;
      const first = held.subarray(0, lengthOfCharacter(held[0] ?? 0));
      if (isUtf8(first) && first.length < lengthOfCharacter(held[0] ?? 0)) return ascii;
      decoder = decoderOf(isUtf8(first) ? "utf-8" : "windows-1252");
      return ascii + decoder.decode(held);
    },
    end: () => decoder?.end() ?? new TextDecoder("windows-1252").decode(held),
  };
}

function lengthOfCharacter(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
