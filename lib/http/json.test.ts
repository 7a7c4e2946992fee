import { describe, expect, test } from "vitest";
import { readJsonObject } from "./json.ts";

const TYPES = ["application/json"];

function read(body: string, type = "application/json; charset=utf-8") {
  const request = new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "Content-Type": type },
  });
  return readJsonObject("acme", request, TYPES, 1024);
}

describe("a JSON body", () => {
  test("is parsed into an object", async () => {
    expect(await read('{"a":{"b":[1,"c",null]}}')).toEqual({ a: { b: [1, "c", null] } });
  });

  test("may be missing", async () => {
    expect(await read("")).toBeNull();
  });

  test("with a field called __proto__ is rejected at any depth", async () => {
    for (const body of [
      '{"__proto__":1}',
      '{"details":{"__proto__":{"a":1}}}',
      '{"a":[{"__proto__":null}]}',
    ]) {
      await expect(read(body)).rejects.toMatchObject({ code: "invalid_request" });
    }
  });

  test("over the maximum size is rejected", async () => {
    const of = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;
    await expect(read(of(1024))).resolves.toBeDefined();
    await expect(read(of(1025))).rejects.toMatchObject({
      code: "payload_too_large",
      message: "The body can be at most 1 KiB.",
    });
  });

  test("may be nested 64 levels deep but not 65", async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    await expect(read(nested(64))).resolves.toBeDefined();
    await expect(read(nested(65))).rejects.toMatchObject({ code: "invalid_request" });
  });
});
