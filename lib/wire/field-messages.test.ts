import { expect, it } from "vitest";
import { z } from "zod";
import { fieldMessage } from "./field-messages.ts";

const schema = z.object({
  title: z.string().min(1).max(5),
  secret: z.string().min(16),
  severity: z.enum(["high", "low"]),
  kind: z.literal("csv"),
  separator: z.enum([",", ";"]),
  code: z.string().regex(/^[A-Z]$/),
  day: z.string().refine((text) => text !== "x"),
  count: z.int().min(0).max(10),
  ids: z.array(z.string()).min(1).max(2),
  own: z.string().regex(/^a/, "Begin with a."),
});
const sound = {
  title: "a",
  secret: "sixteen or longer",
  severity: "high",
  kind: "csv",
  separator: ",",
  code: "A",
  day: "monday",
  count: 1,
  ids: ["a"],
  own: "a",
};

it.each([
  [{ title: undefined }, "This field is required."],
  [{ title: 7 }, "Must be a string."],
  [{ title: "" }, "Must not be empty."],
  [{ title: "too long" }, "Must have at most 5 characters."],
  [{ secret: "short" }, "Must have at least 16 characters."],
  [{ severity: "urgent" }, "Must be one of high, low."],
  [{ kind: "pdf" }, "Must be csv."],
  [{ separator: "|" }, 'Must be one of ",", ";".'],
  [{ code: "x" }, "Has a form that is not accepted. See the documentation of this field."],
  [{ day: "x" }, "Is not accepted. See the documentation of this field."],
  [{ count: "7" }, "Must be a number."],
  [{ count: 1.5 }, "Must be an integer."],
  [{ count: -1 }, "Must be at least 0."],
  [{ count: 11 }, "Must be at most 10."],
  [{ ids: {} }, "Must be an array."],
  [{ ids: [] }, "Must not be empty."],
  [{ ids: ["a", "b", "c"] }, "Must have at most 2 items."],
  [{ own: "b" }, "Begin with a."],
])("rejects %o and says what is accepted", (wrong, words) => {
  const { error } = schema.safeParse({ ...sound, ...wrong }, { error: fieldMessage });
  expect(error?.issues.map(({ message }) => message)).toEqual([words]);
});
