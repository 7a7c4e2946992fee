type JsonSchema = { type?: unknown; enum?: unknown; format?: unknown; pattern?: unknown; minimum?: number };

/** Values that a query parameter of this schema must refuse. */
export function badQueryValues({ type, enum: choices, format, pattern, minimum = 0 }: JsonSchema): string[] {
  const common = ["a\0b"];
  if (type === "integer")
    return [...common, `${minimum - 1}`, "1.5", "1e3", "1e309", "NaN", "Infinity", "0x10", "+1", "", " ", "9".repeat(30)];
  if (choices) return [...common, "no-such-value", "", "constructor"];
  if (format === "date-time") return [...common, "2026-02-30T00:00:00.000Z", "2026-01-01T00:00:00+01:00", "2026-01-01", "yesterday", ""];
  if (pattern) return [...common, "", "no such form"];
  return common;
}

/** Bodies that no operation takes, whatever its schema. */
export const BAD_BODIES: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "an array": "[]",
  "a number": "1",
  "a text": '"text"',
  null: "null",
  "broken JSON": '{"a":',
  "JSON with a comment": '{"a":1/*b*/}',
  "two objects": "{}{}",
  "bytes that are no UTF-8": new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
  "a NUL character": '{"a":"x\\u0000y"}',
  "a NUL character in a name": '{"x\\u0000y":1}',
  "a lone surrogate": '{"a":"\\ud800"}',
  "a number beyond a double": '{"a":1e400}',
  "nesting of 65": `${'{"a":'.repeat(65)}1${"}".repeat(65)}`,
};

export const ONE_BYTE_TOO_MANY = `{"a":"${"x".repeat(1024 * 1024 - 7)}"}`;
