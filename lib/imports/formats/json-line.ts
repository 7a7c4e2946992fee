import { DetailsBuilder } from "./gathered.ts";
import { mappedLines, type Values } from "./mapped-lines.ts";
import { MAPPED_FIELDS, type MappedField } from "./mapping.ts";
import type { Reading } from "./reader.ts";
import type { Place } from "./refusal.ts";

const MEMBERS_MAX = 1_000;
const DEPTH_MAX = 64;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
/** Names that stand for themselves. The others are read only where the mapping names them. */
const NAMED: readonly MappedField[] = MAPPED_FIELDS.filter((field) => field !== "debit" && field !== "credit" && field !== "sign");

/**
 * Reads one JSON object as a line. Amounts may be texts or numbers: numbers are read from the digits of the file, so that none is
 * rounded on the way. Members that are no field go into details, those of a member `details` too.
 */
export function jsonLines(reading: Reading): (text: string, place: Place) => void {
  const add = mappedLines(reading, "wire");
  const { out, mapping } = reading;
  const fieldOf = new Map<string, MappedField>(NAMED.map((field) => [field, field]));
  // What is mapped goes by that name alone, and a name that is mapped stands for that field alone.
  for (const [field, name] of Object.entries(mapping?.fields ?? {}) as [MappedField, string][]) {
    if (fieldOf.get(field) === field) fieldOf.delete(field);
    fieldOf.set(name, field);
  }

  return (text, place) => {
    const object = parsedObject(text);
    if (typeof object === "string") return out.refuse(place, null, object, text, "one JSON object");
    const digits = numbersOf(text);
    if (typeof digits === "string") return out.refuse(place, null, "A name comes twice.", digits, "each name once");
    if (text.includes("\\u")) out.suspect = true;
    const values: Values = {};
    const details = new DetailsBuilder();
    let members = 0;
    // What JSON.parse made has no inherited names.
    for (const name in object) {
      const value = object[name];
      if (++members > MEMBERS_MAX) return out.refuse(place, null, "The object has too many members.", name, `at most ${MEMBERS_MAX}`);
      const field = fieldOf.get(name);
      if (field === undefined) {
        if (name === "details" && isObject(value)) for (const [inner, kept] of Object.entries(value)) details.add(inner, kept);
        else details.add(name, value);
        continue;
      }
      if (value === null || value === "") continue;
      const written = typeof value === "number" ? (digits.get(name) ?? "") : value;
      if (typeof written !== "string") return out.refuse(place, field, "This is not a text.", JSON.stringify(value), "a text or a number");
      if (typeof value === "number" && !PLAIN_NUMBER.test(written)) {
        return out.refuse(place, field, "This is not a plain number.", written, "digits without an exponent");
      }
      const trimmed = written.trim();
      if (trimmed !== "") values[field] = trimmed;
    }
    add(values, details.details, place);
  };
}

function parsedObject(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return "This is not an object.";
    return isTooDeep(text) ? "The object is nested too deep." : value;
  } catch {
    return "This is not JSON.";
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Opening brackets anywhere, within texts too, are as many as the depth at least. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  if (text.split(/[[{]/, DEPTH_MAX + 1).length <= DEPTH_MAX) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 92) at++;
      else if (code === 34) inText = false;
    } else if (code === 34) inText = true;
    else if (code === 123 || code === 91) {
      if (++depth > DEPTH_MAX) return true;
    } else if (code === 125 || code === 93) depth--;
  }
  return false;
}

/** Numbers among the members of a well-formed object, by name, as they are written; or the name that comes twice. */
function numbersOf(text: string): Map<string, string> | string {
  const names = new Set<string>();
  const numbers = new Map<string, string>();
  let at = text.indexOf("{") + 1;
  for (;;) {
    const opens = text.indexOf('"', at);
    if (opens < 0) return numbers;
    const closes = endOfText(text, opens);
    const quoted = text.slice(opens + 1, closes - 1);
    const name = quoted.includes("\\") ? (JSON.parse(`"${quoted}"`) as string) : quoted;
    if (names.has(name)) return name;
    names.add(name);
    let begins = text.indexOf(":", closes) + 1;
    while (text.charCodeAt(begins) <= 32) begins++;
    at = endOfValue(text, begins);
    const first = text.charCodeAt(begins);
    if (first === 45 || (first >= 48 && first <= 57)) numbers.set(name, text.slice(begins, at).trim());
    // The comma, or the end of the object: nothing but white space may follow it.
    if (text.charCodeAt(at) !== 44) return numbers;
  }
}

/** One past the closing quotation mark of the text that opens there. */
function endOfText(text: string, opens: number): number {
  for (let at = opens + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 34) return at + 1;
  }
}

/** Where the comma or bracket is that ends the value. */
function endOfValue(text: string, begins: number): number {
  let depth = 0;
  for (let at = begins; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) at = endOfText(text, at) - 1;
    else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) {
      if (depth-- === 0) return at;
    } else if (code === 44 && depth === 0) return at;
  }
}
