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

/** The message for an invalid field whose schema has none. It says what is accepted. */
export const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "This field is required.";
      return `Must be ${KINDS[issue.expected] ?? "of another type"}.`;
    case "invalid_value":
      return `Must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(shown).join(", ")}.`;
    case "too_small":
      return issue.minimum === 1 && COUNTED[issue.origin]
        ? "Must not be empty."
        : limit(issue.origin, `at least ${issue.minimum}`);
    case "too_big":
      return limit(issue.origin, `at most ${issue.maximum}`);
    case "invalid_format":
      return issue.format === "regex"
        ? "Has a form that is not accepted. See the documentation of this field."
        : `Must be a valid ${issue.format.replaceAll("_", " ")}.`;
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "invalid_union":
      return "Has none of the accepted forms. See the documentation of this field.";
    case "invalid_key":
    case "invalid_element":
      return "Has a name or an item that is not accepted. See the documentation of this field.";
    default:
      return "Is not accepted. See the documentation of this field.";
  }
};

/** A separator or a quotation mark would be taken for part of the sentence. */
function shown(value: unknown): string {
  return /\w/.test(String(value)) ? String(value) : JSON.stringify(value);
}

function limit(origin: string, bound: string): string {
  return COUNTED[origin] ? `Must have ${bound} ${COUNTED[origin]}.` : `Must be ${bound}.`;
}
