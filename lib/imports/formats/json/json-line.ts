import { DetailsBuilder } from "../line-collector.ts";
import { mappedLines, type Values } from "../mapped-lines.ts";
import { MAPPED_FIELDS, type MappedField } from "../mapping.ts";
import type { Reading } from "../reader.ts";
import type { Place } from "../refusal.ts";
import { balanceLabel } from "../words/balance-labels.ts";
import { wholeStateOf } from "../words/booking-states.ts";
import { directionOf } from "../words/directions.ts";

const MEMBERS_MAX = 1_000;
const DEPTH_MAX = 64;
/** Members that state whether an item is booked. */
const STATUS_NAMES = /^(?:(?:booking|transaction|payment)_?)?(?:status|state)$/i;
/** Members that are true or false for items that are booked, or that aren't. */
const PENDING_FLAG = /^(?:is_?)?pending$/i;
const BOOKED_FLAG = /^(?:is_?)?(?:booked|posted|settled)$/i;
/** Members that state debit or credit. */
const DIRECTION_NAMES =
  /^(?:(?:transaction_?)?type|direction|sign|side|dc|(?:credit_?debit|debit_?credit|cr_?dr|dr_?cr|cdt_?dbt)(?:_?(?:ind|indicator|code|mark|type))?)$/i;
const DUE_NAMES = /^due_?(?:date|on|at)$/i;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
/**
 * Field names that need no mapping. The others are read only if the mapping names them: a `fee` in
 * a foreign format may be in minor units.
 */
const ONLY_MAPPED: readonly MappedField[] = ["debit", "credit", "sign", "fee"];
const NAMED: readonly MappedField[] = MAPPED_FIELDS.filter((field) => !ONLY_MAPPED.includes(field));

/** The fields of a file's own object that were read, and how many members it has. */
type Taken = { values: Values; members: number };

class Unreadable extends Error {
  readonly field: MappedField | null;
  readonly found: string;
  readonly wanted: string;

  constructor(field: MappedField | null, problem: string, found: string, wanted: string) {
    super(problem);
    this.field = field;
    this.found = found;
    this.wanted = wanted;
  }
}

/**
 * Why an item isn't booked; undefined if no member says so. An invoice that awaits its payment is
 * booked.
 */
function stateOf(members: Record<string, unknown>): "pending" | "declined" | undefined {
  for (const [name, value] of Object.entries(members)) {
    const isUnbooked =
      (value === true && PENDING_FLAG.test(name)) || (value === false && BOOKED_FLAG.test(name));
    if (isUnbooked) return "pending";
    const state =
      typeof value === "string" && STATUS_NAMES.test(name) ? wholeStateOf(value) : undefined;
    if (state === "declined") return state;
    if (state === "pending" && !Object.keys(members).some((one) => DUE_NAMES.test(one)))
      return state;
  }
  return undefined;
}

/**
 * The member that contradicts the sign of an item's amount: it says debit, and the amount has no
 * minus, or credit, and it has one.
 */
function contradictionOf(members: Record<string, unknown>, { amount, amount_minor }: Values) {
  const text = amount ?? amount_minor;
  if (text === undefined || !/[1-9]/.test(text)) return undefined;
  return Object.entries(members).find(([name, value]) => {
    if (typeof value !== "string" || !DIRECTION_NAMES.test(name)) return false;
    const direction = directionOf(value);
    return direction !== undefined && (direction === -1) !== text.startsWith("-");
  });
}

/**
 * Reads one JSON object as a line. Amounts may be texts or numbers: numbers are read from the
 * digits of the file and never rounded. A mapping names a member, or a path to a nested
 * member: `amount.value`. Members that are not fields go into details, including those of a member
 * `details`.
 */
export function jsonLines(reading: Reading): (text: string, place: Place) => void {
  const add = mappedLines(reading, "wire");
  const { out, mapping } = reading;
  const fieldOf = new Map<string, MappedField>(NAMED.map((field) => [field, field]));
  // A mapped field is read only under its mapped name, and that name stands only for that field.
  for (const [field, name] of Object.entries(mapping?.fields ?? {}) as [MappedField, string][]) {
    if (fieldOf.get(field) === field) fieldOf.delete(field);
    fieldOf.set(name, field);
  }
  const isDirectionMapped =
    mapping?.fields.sign !== undefined || mapping?.amount_sign !== undefined;
  const listName = mapping?.lines_path?.split(".").at(-1) ?? "";
  const listState = wholeStateOf(listName);
  /** Objects on the path to a field, with the first of the fields within. */
  const wayTo = new Map<string, MappedField>();
  for (const [path, field] of fieldOf) {
    for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
      if (!wayTo.has(path.slice(0, dot))) wayTo.set(path.slice(0, dot), field);
    }
  }

  /**
   * @returns the members that aren't fields. Objects made by JSON.parse have no inherited names.
   */
  function take(
    object: Record<string, unknown>,
    within: string,
    digits: ReadonlyMap<string, string>,
    taken: Taken,
  ): Record<string, unknown> {
    const rest: Record<string, unknown> = {};
    for (const name in object) {
      const value = object[name];
      const path = within + name;
      if (++taken.members > MEMBERS_MAX)
        throw new Unreadable(
          null,
          "The object has too many members.",
          path,
          `at most ${MEMBERS_MAX}`,
        );
      const field = fieldOf.get(path);
      if (field !== undefined) {
        if (value === null || value === "") continue;
        if (taken.values[field] !== undefined)
          throw new Unreadable(field, "Two members have this path.", path, "one of the two");
        const text = textOf(value, field, path, digits);
        if (text !== "") taken.values[field] = text;
      } else if (wayTo.has(path) && value !== null) {
        if (!isObject(value)) {
          throw new Unreadable(
            wayTo.get(path) ?? null,
            "This is not an object.",
            `${path}: ${JSON.stringify(value)}`,
            `an object at ${path}`,
          );
        }
        const left = take(value, `${path}.`, digits, taken);
        if (Object.keys(left).length > 0) keep(rest, name, left);
      } else keep(rest, name, value);
    }
    return rest;
  }

  return (text, place) => {
    const object = parsedObject(text);
    if (typeof object === "string") return out.refuse(place, null, object, text, "one JSON object");
    const digits = new Map<string, string>();
    const twice = readNumbers(text, text.indexOf("{") + 1, "", wayTo, digits);
    if (typeof twice === "string")
      return out.refuse(place, null, "A name comes twice.", twice, "each name once");
    if (text.includes("\\u")) out.suspect = true;
    const taken: Taken = { values: {}, members: 0 };
    let rest: Record<string, unknown>;
    try {
      rest = take(object, "", digits, taken);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return out.refuse(place, error.field, error.message, error.found, error.wanted);
    }
    const state = listState === "pending" ? listState : stateOf(rest);
    if (state) return out.skip(place, state, text);
    const { description, counterparty } = taken.values;
    if (balanceLabel(description ?? counterparty ?? "") === "balance")
      return out.skip(place, "total", text);
    const [name, value] =
      (isDirectionMapped ? undefined : contradictionOf(rest, taken.values)) ?? [];
    if (name !== undefined) {
      const problem = "This says another direction than the amount's sign.";
      const expected = "an amount whose sign agrees, or a mapping with sign or amount_sign";
      return out.refuse(place, "amount", problem, `${name}: ${value}`, expected);
    }
    const details = new DetailsBuilder();
    for (const name in rest) {
      const value = rest[name];
      if (name === "details" && isObject(value))
        for (const [inner, kept] of Object.entries(value)) details.add(inner, kept);
      else details.add(name, value);
    }
    add(taken.values, details.details, place);
  };
}

/** A member may be named `__proto__`. */
function keep(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else object[name] = value;
}

function textOf(
  value: unknown,
  field: MappedField,
  path: string,
  digits: ReadonlyMap<string, string>,
): string {
  const written = typeof value === "number" ? (digits.get(path) ?? "") : value;
  const where = path === field ? "" : ` at ${path}`;
  if (typeof written !== "string")
    throw new Unreadable(
      field,
      "This is not a text.",
      JSON.stringify(value),
      `a text or a number${where}`,
    );
  if (typeof value === "number" && !PLAIN_NUMBER.test(written)) {
    throw new Unreadable(
      field,
      "This is not a plain number.",
      written,
      `digits without an exponent${where}`,
    );
  }
  return written.trim();
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

/** The number of opening brackets, including those within texts, is at least the depth. */
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

/**
 * Collects the numbers among the members of the well-formed object whose members begin at `at`, by
 * path, as they are written, including those of objects on the path to a field. @returns where the
 * object ends; or the path that occurs twice.
 */
function readNumbers(
  text: string,
  at: number,
  within: string,
  wayTo: ReadonlyMap<string, unknown>,
  numbers: Map<string, string>,
): number | string {
  const names = new Set<string>();
  for (;;) {
    while (text.charCodeAt(at) <= 32) at++;
    if (text.charCodeAt(at) !== 34) return at;
    const closes = endOfText(text, at);
    const quoted = text.slice(at + 1, closes - 1);
    const name = quoted.includes("\\") ? (JSON.parse(`"${quoted}"`) as string) : quoted;
    const path = within + name;
    if (names.has(name)) return path;
    names.add(name);
    let begins = text.indexOf(":", closes) + 1;
    while (text.charCodeAt(begins) <= 32) begins++;
    const first = text.charCodeAt(begins);
    if (first === 123 && wayTo.has(path)) {
      const ended = readNumbers(text, begins + 1, `${path}.`, wayTo, numbers);
      if (typeof ended === "string") return ended;
    }
    at = endOfValue(text, begins);
    if (first === 45 || (first >= 48 && first <= 57))
      numbers.set(path, text.slice(begins, at).trim());
    // The comma, or the end of the object.
    if (text.charCodeAt(at) !== 44) return at;
    at++;
  }
}

/** The position after the closing quotation mark of the text that opens there. */
function endOfText(text: string, opens: number): number {
  for (let at = opens + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 34) return at + 1;
  }
}

/** The position of the comma or bracket that ends the value. */
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
