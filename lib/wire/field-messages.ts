import type { z } from "zod";

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};

const COUNTED: Record<string, string> = { string: "characters", array: "items" };

/**
 * The message for an invalid field whose schema has none. It says what is accepted; undefined
 * leaves it to zod.
 */
export const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "This field is required.";
      return KINDS[issue.expected] && `Must be ${KINDS[issue.expected]}.`;
    case "invalid_value":
      return `Must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}.`;
    case "too_small":
      return issue.minimum === 1 && COUNTED[issue.origin]
        ? "Must not be empty."
        : limit(issue.origin, `at least ${issue.minimum}`);
    case "too_big":
      return limit(issue.origin, `at most ${issue.maximum}`);
    case "invalid_format":
      return `Must be a valid ${issue.format.replaceAll("_", " ")}.`;
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "invalid_union":
      return "Has none of the accepted forms. See the documentation of this field.";
    case "invalid_key":
    case "invalid_element":
      return "Has a name or an item that is not accepted. See the documentation of this field.";
    default:
      return undefined;
  }
};

function limit(origin: string, bound: string): string {
  return COUNTED[origin] ? `Must have ${bound} ${COUNTED[origin]}.` : `Must be ${bound}.`;
}
