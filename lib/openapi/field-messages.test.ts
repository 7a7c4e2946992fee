import { expect, test } from "vitest";
import type { z } from "zod";
import { fieldMessage } from "../wire/field-messages.ts";
import { CONTRACTS } from "./operations.ts";

type Def = { shape?: Record<string, z.ZodType>; options?: z.ZodType[] } & Partial<
  Record<"innerType" | "in" | "out" | "element" | "valueType", z.ZodType>
>;

const WRONG = [
  null,
  -1,
  1.5,
  2 ** 60,
  "",
  " ",
  "x",
  "€",
  "\0",
  "2026-13-45",
  "1950-01-01",
  "x".repeat(70_000),
  true,
  [[1]],
  ["x"],
  { x: { y: 1 } },
];
/** Zod's default messages, and messages that name our code instead of the accepted values. */
const MEANINGLESS = /^invalid|expected|received|valid regex|see the documentation/i;

function* fieldsOf(schema: z.ZodType, path: string): Generator<[string, z.ZodType]> {
  const def = schema._zod.def as unknown as Def;
  const { shape = {}, options = [], innerType, in: input, out, element, valueType } = def;
  for (const [name, field] of Object.entries(shape)) {
    yield [`${path}.${name}`, field];
    yield* fieldsOf(field, `${path}.${name}`);
  }
  for (const inner of [innerType, input, out, element, valueType, ...options])
    if (inner) yield* fieldsOf(inner, path);
}

test("every field of every operation says what it accepts", () => {
  const faults = new Set<string>();
  for (const { operationId, query, body } of CONTRACTS)
    for (const part of [query, body].filter((schema) => schema !== null))
      for (const [path, field] of fieldsOf(part, operationId))
        for (const wrong of WRONG) {
          const { error } = field.safeParse(wrong, { error: fieldMessage });
          for (const { code, message } of error?.issues ?? [])
            if (code !== "unrecognized_keys" && MEANINGLESS.test(message))
              faults.add(`${path}: ${message}`);
        }
  expect([...faults]).toEqual([]);
});
