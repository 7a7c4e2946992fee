import { expect, test } from "vitest";
import { z } from "zod";
import { decodeCursor, encodeCursor } from "../wire/cursor.ts";
import { orderOf } from "./page.ts";

const KEY = z.tuple([z.string()]);
const cursor = encodeCursor(orderOf("id", { severity: ["low"], limit: 1 }), ["exc_1"]) as string;
const read = (name: string, filters: object) =>
  decodeCursor(orderOf(name, { ...filters }), cursor, KEY);

test("a cursor works for the same filters, in any order and with any page size", () => {
  expect(read("id", { limit: 250, severity: ["low"], q: undefined })).toEqual(["exc_1"]);
});

test.each([
  [{ severity: ["high"] }],
  [{ severity: ["low", "high"] }],
  [{}],
  [{ severity: ["low"], q: "rent" }],
  [{ severity: ["low"], id: "rcn_2" }],
])("a cursor is refused with the filters %j", (filters) => {
  expect(() => read("id", filters)).toThrow("invalid");
});

test("a cursor is refused in another order", () => {
  expect(() => read("due_at", { severity: ["low"] })).toThrow("invalid");
});
