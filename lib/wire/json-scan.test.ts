import { describe, expect, test } from "vitest";
import { parseJsonObject } from "./json-object.ts";

/** The paths of the rejected values. */
function refused(text: string): string[] {
  try {
    parseJsonObject(text);
    return [];
  } catch (error) {
    return (error as { errors: { path: string }[] }).errors.map(({ path }) => path);
  }
}

describe("a number keeps its value or is rejected with its path", () => {
  test.each([
    "0",
    "-0",
    "1.10",
    "0.1",
    "1e2",
    "100000000000000000e-5",
    "9007199254740991",
    "-9007199254740991",
    "123456789012345.5",
    "5e-324",
    "0.30000000000000004",
  ])("accepts %s", (digits) => {
    expect(parseJsonObject(`{"a":{"n":[0,${digits}]}}`)).toEqual({ a: { n: [0, Number(digits)] } });
  });

  test.each([
    "9007199254740992",
    "9007199254740993",
    "-9007199254740992",
    "12345678901234567890",
    "9.007199254740993e15",
    "1e21",
    "1e400",
    "1e-400",
    "0.1000000000000000055",
    "0.123456789012345678",
    "1.00000000000000000000000001",
    `0.${"0".repeat(500_000)}1`,
    `0.1${"0".repeat(500_000)}1`,
  ])("rejects %s", (digits) => {
    expect(refused(`{"a":{"n":[0,${digits}]}}`)).toEqual(["a.n.1"]);
  });
});

describe("a duplicate name in an object is rejected", () => {
  test.each([
    ['{"a":1,"a":1}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"a":{"b":{},"c":[],"b":1}}', "a.b"],
    ['{"a":[{"b":1},{"b":1,"b":2}]}', "a.1.b"],
    ['{"x":[{"__proto__":1}]}', "x.0.__proto__"],
    ['{"\\u005f_proto__":1}', "__proto__"],
  ])("rejects %s", (text, path) => {
    expect(refused(text)).toEqual([path]);
  });

  test("the same name in two objects is accepted", () => {
    expect(parseJsonObject('{"a":{"b":1},"b":[{"b":"{\\"b\\":1,\\"b\\":2}"}]}')).toEqual({
      a: { b: 1 },
      b: [{ b: '{"b":1,"b":2}' }],
    });
  });
});

describe("the limits of a JSON body", () => {
  const numbers = (count: number) =>
    `{"a":[${Array.from({ length: count }, () => "0").join(",")}]}`;
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  test("20,000 values are accepted and 20,001 are not", () => {
    expect(refused(numbers(19_998))).toEqual([]);
    expect(refused(numbers(19_999))).toEqual([""]);
    expect(refused(`{"a":[${Array.from({ length: 10_000 }, () => '"x",{}').join(",")}]}`)).toEqual([
      "",
    ]);
  });

  test("64 levels are accepted and 65 are not", () => {
    expect(refused(nested(64))).toEqual([]);
    expect(refused(nested(65))).toEqual([""]);
    expect(refused("[".repeat(500_000))).toEqual([""]);
  });

  test("NUL characters and lone surrogates are rejected in texts and names", () => {
    expect(refused('{"a":["x","\\u0000"]}')).toEqual(["a.1"]);
    expect(refused('{"a":{"b":"\\ud800"}}')).toEqual(["a.b"]);
    expect(refused('{"a":{"\\u0000":1}}')).toHaveLength(1);
    expect(refused('{"a":"\\ud83d\\ude00"}')).toEqual([]);
  });

  test.each([
    "",
    "[]",
    "1",
    "null",
    '"a"',
    '{"a":',
    '{"a":1}}',
    '{"a":01}',
    '{"a":1.}',
    '{"a" 1}',
    '{"a":"\\x"}',
    '{"a":NaN}',
    "{a:1}",
    '{"a":"',
  ])("rejects %j, which isn't an object", (text) => {
    expect(refused(text)).toEqual([""]);
  });
});
