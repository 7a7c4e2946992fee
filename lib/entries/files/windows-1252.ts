const BYTES = new Map(
  Array.from({ length: 256 }, (_, byte): [string, number] => [
    new TextDecoder("windows-1252").decode(Uint8Array.of(byte)),
    byte,
  ]),
);
const UNKNOWN = "?".charCodeAt(0);

/**
 * Text in Windows-1252. A missing letter becomes its base letter (ń → n), any other missing
 * character a question mark.
 */
export function encodeWindows1252(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, byteOf);
}

function byteOf(character: string): number {
  const base = character.normalize("NFD").charAt(0);
  return BYTES.get(character) ?? BYTES.get(base) ?? UNKNOWN;
}
