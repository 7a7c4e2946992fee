export type ParameterSchema = {
  type?: unknown;
  enum?: unknown;
  format?: unknown;
  pattern?: unknown;
  minimum?: number;
  example?: unknown;
};

/** Values that a query parameter of this schema must refuse. */
export function badQueryValues({
  type,
  enum: choices,
  format,
  pattern,
  minimum = 0,
}: ParameterSchema): string[] {
  const common = ["a\0b"];
  if (type === "integer")
    return [
      ...common,
      `${minimum - 1}`,
      "1.5",
      "1e3",
      "1e309",
      "NaN",
      "Infinity",
      "0x10",
      "+1",
      "",
      " ",
      "9".repeat(30),
    ];
  if (choices) return [...common, "no-such-value", "", "constructor"];
  if (format === "date-time")
    return [
      ...common,
      "2026-02-30T00:00:00.000Z",
      "2026-01-01T00:00:00+01:00",
      "2026-01-01",
      "yesterday",
      "",
    ];
  if (pattern) return [...common, "", "no such form"];
  return common;
}

/** Bodies that every operation refuses, whatever its schema. */
export const BAD_BODIES: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "an array": "[]",
  "a number": "1",
  "a text": '"text"',
  null: "null",
  "broken JSON": '{"a":',
  "JSON with a comment": '{"a":1/*b*/}',
  "two objects": "{}{}",
  "bytes that aren't UTF-8": new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
};

const NESTED_65 = JSON.parse(`${'{"a":'.repeat(64)}1${"}".repeat(64)}`);

/** A valid body, with each of its texts and free objects in turn made impossible to store. */
export function unstorableBodies(body: Record<string, unknown>): [name: string, body: string][] {
  return Object.entries(body).flatMap(([field, value]) => {
    const bodyWith = (strange: unknown) => JSON.stringify({ ...body, [field]: strange });
    if (typeof value === "string") {
      return [
        [`a NUL character in ${field}`, bodyWith(`${value}\0`)],
        [`a lone surrogate in ${field}`, bodyWith(`${value}\ud800`)],
      ];
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return [
      [`a NUL character within ${field}`, bodyWith({ ...value, a: ["\0"] })],
      [`a NUL character in a name within ${field}`, bodyWith({ ...value, "a\0": 1 })],
      [`a lone surrogate within ${field}`, bodyWith({ ...value, a: { b: "\udc00" } })],
      [
        `a field called __proto__ within ${field}`,
        bodyWith({ ...value, a: JSON.parse('{"__proto__":1}') }),
      ],
      [`nesting of 65 within ${field}`, bodyWith(NESTED_65)],
      [
        `a number beyond a double within ${field}`,
        bodyWith({ ...value, a: "1e400" }).replace('"1e400"', "1e400"),
      ],
    ];
  });
}

/** A JSON object of this many bytes. */
export function bodyOfSize(bytes: number): string {
  return `{"a":"${"x".repeat(bytes - 8)}"}`;
}
