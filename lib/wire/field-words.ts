import type { z } from "zod";

const KINDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** What is wrong with a field and what would be right, where its schema has no words of its own; undefined leaves it to zod. */
export const fieldWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "This field is required.";
      return KINDS[issue.expected] && `Give ${KINDS[issue.expected]}.`;
    case "invalid_value":
      return `Give ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}.`;
    case "too_small":
      if (issue.origin === "string") return issue.minimum === 1 ? "Must not be empty." : `At least ${issue.minimum} characters.`;
      return `At least ${issue.minimum}.`;
    case "too_big":
      return `At most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}.`;
    default:
      return undefined;
  }
};
