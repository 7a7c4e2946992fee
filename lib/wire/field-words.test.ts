import { expect, it } from "vitest";
import { z } from "zod";
import { fieldWords } from "./field-words.ts";

const schema = z.object({
  title: z.string().min(1).max(5),
  secret: z.string().min(16),
  severity: z.enum(["high", "low"]),
  kind: z.literal("csv"),
  count: z.int().min(0).max(10),
  ids: z.array(z.string()).min(1).max(2),
  own: z.string().regex(/^a/, "Begin with a."),
});
const sound = { title: "a", secret: "sixteen or longer", severity: "high", kind: "csv", count: 1, ids: ["a"], own: "a" };

it.each([
  [{ title: undefined }, "This field is required."],
  [{ title: 7 }, "Give a text."],
  [{ title: "" }, "Must not be empty."],
  [{ title: "too long" }, "At most 5 characters."],
  [{ secret: "short" }, "At least 16 characters."],
  [{ severity: "urgent" }, "Give one of high, low."],
  [{ kind: "pdf" }, "Give csv."],
  [{ count: "7" }, "Give a number."],
  [{ count: 1.5 }, "Give a whole number."],
  [{ count: -1 }, "At least 0."],
  [{ count: 11 }, "At most 10."],
  [{ ids: {} }, "Give a list."],
  [{ ids: [] }, "At least 1."],
  [{ ids: ["a", "b", "c"] }, "At most 2."],
  [{ own: "b" }, "Begin with a."],
])("%o is answered with what would be right", (wrong, words) => {
  const { error } = schema.safeParse({ ...sound, ...wrong }, { error: fieldWords });
  expect(error?.issues.map(({ message }) => message)).toEqual([words]);
});
