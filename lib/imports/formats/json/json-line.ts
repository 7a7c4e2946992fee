import { DetailsBuilder } from "../line-collector.ts";
import { mappedLines, type Values } from "../mapped-lines.ts";
import { MAPPED_FIELDS, type MappedField } from "../mapping.ts";
import type { Reading } from "../reader.ts";
import type { Place } from "../refusal.ts";
import { balanceLabel } from "../words/balance-labels.ts";
import { wholeStateOf } from "../words/booking-states.ts";
import { directionOf } from "../words/directions.ts";

const MAX_MEMBERS = 1_000;
const MAX_DEPTH = 64;
/** Members that state whether an item is booked. */
const STATUS_NAMES = /^(?:(?:booking|transaction|payment)_?)?(?:status|state)$/i;
/** Boolean members that state whether an item is pending or booked. */
const PENDING_FLAG = /^(?:is_?)?pending$/i;
const BOOKED_FLAG = /^(?:is_?)?(?:booked|posted|settled)$/i;
/** Members that state debit or credit. */
const DIRECTION_NAMES =
  /^(?:(?:transaction_?)?type|direction|sign|side|dc|(?:credit_?debit|debit_?credit|cr_?dr|dr_?cr|cdt_?dbt)(?:_?(?:ind|indicator|code|mark|type))?)$/i;
const DUE_NAMES = /^due_?(?:date|on|at)$/i;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
/**
 * Fields that are read only if the mapping names them: a `fee` in a foreign format may be in minor
 * units. The other fields need no mapping.
 */
const MAPPING_REQUIRED: readonly MappedField[] = ["debit", "credit", "sign", "fee"];
const DEFAULT_FIELDS: readonly MappedField[] = MAPPED_FIELDS.filter(
  (field) => !MAPPING_REQUIRED.includes(field),
);

/** The fields of an object that were read so far, and the number of its members so far. */
type CollectedFields = { values: Values; members: number };

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
 * The member that contradicts the sign of an item's amount: it says debit although the amount has
 * no minus, or credit although the amount has one.
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
  const fieldOf = new Map<string, MappedField>(DEFAULT_FIELDS.map((field) => [field, field]));
  // A mapped field is read only under its mapped name, and that name stands only for that field.
  for (const [field, name] of Object.entries(mapping?.fields ?? {}) as [MappedField, string][]) {
    if (fieldOf.get(field) === field) fieldOf.delete(field);
    fieldOf.set(name, field);
  }
  const isDirectionMapped =
    mapping?.fields.sign !== undefined || mapping?.amount_sign !== undefined;
  const listName = mapping?.lines_path?.split(".").at(-1) ?? "";
  const listState = wholeStateOf(listName);
  /** The paths of objects that contain mapped fields, with the first of these fields. */
  const parentPaths = new Map<string, MappedField>();
  for (const [path, field] of fieldOf) {
    for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
      if (!parentPaths.has(path.slice(0, dot))) parentPaths.set(path.slice(0, dot), field);
    }
  }

  /** Reads an object's fields into `collected`. @returns the members that aren't fields */
  function collect(
    object: Record<string, unknown>,
    prefix: string,
    digits: ReadonlyMap<string, string>,
    collected: CollectedFields,
  ): Record<string, unknown> {
    const rest: Record<string, unknown> = {};
    for (const name in object) {
      const value = object[name];
      const path = prefix + name;
      if (++collected.members > MAX_MEMBERS)
        throw new Unreadable(
          null,
          "The object has too many members.",
          path,
          `at most ${MAX_MEMBERS}`,
        );
      const field = fieldOf.get(path);
      if (field !== undefined) {
        if (value === null || value === "") continue;
        if (collected.values[field] !== undefined)
          throw new Unreadable(field, "Two members have this path.", path, "one of the two");
        const text = textOf(value, field, path, digits);
        if (text !== "") collected.values[field] = text;
      } else if (parentPaths.has(path) && value !== null) {
        if (!isObject(value)) {
          throw new Unreadable(
            parentPaths.get(path) ?? null,
            "This is not an object.",
            `${path}: ${JSON.stringify(value)}`,
            `an object at ${path}`,
          );
        }
        const left = collect(value, `${path}.`, digits, collected);
        if (Object.keys(left).length > 0) setMember(rest, name, left);
      } else setMember(rest, name, value);
    }
    return rest;
  }

  return (text, place) => {
    const object = parseObject(text);
    if (typeof object === "string") return out.refuse(place, null, object, text, "one JSON object");
    const digits = new Map<string, string>();
    const duplicate = readNumbers(text, text.indexOf("{") + 1, "", parentPaths, digits);
    if (typeof duplicate === "string")
      return out.refuse(place, null, "A name comes twice.", duplicate, "each name once");
    if (text.includes("\\u")) out.isSuspect = true;
    const collected: CollectedFields = { values: {}, members: 0 };
    let rest: Record<string, unknown>;
    try {
      rest = collect(object, "", digits, collected);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return out.refuse(place, error.field, error.message, error.found, error.wanted);
    }
    const state = listState === "pending" ? listState : stateOf(rest);
    if (state) return out.skip(place, state, text);
    const { description, counterparty } = collected.values;
    if (balanceLabel(description ?? counterparty ?? "") === "balance")
      return out.skip(place, "total", text);
    const [name, value] =
      (isDirectionMapped ? undefined : contradictionOf(rest, collected.values)) ?? [];
    if (name !== undefined) {
      const problem = "This says another direction than the amount's sign.";
      const expected = "an amount whose sign agrees, or a mapping with sign or amount_sign";
      return out.refuse(place, "amount", problem, `${name}: ${value}`, expected);
    }
    const details = new DetailsBuilder();
    for (const name in rest) {
      const value = rest[name];
      if (name === "details" && isObject(value))
        for (const [inner, innerValue] of Object.entries(value)) details.add(inner, innerValue);
      else details.add(name, value);
    }
    add(collected.values, details.details, place);
  };
}

/** Sets a member, whose name may be `__proto__`. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
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

function parseObject(text: string): Record<string, unknown> | string {
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

/**
 * Whether objects are nested too deep. A text has at least as many opening brackets as its depth,
 * so one with few needs no scan.
 */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  if (text.split(/[[{]/, MAX_DEPTH + 1).length <= MAX_DEPTH) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 92) at++;
      else if (code === 34) inText = false;
    } else if (code === 34) inText = true;
    else if (code === 123 || code === 91) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 125 || code === 93) depth--;
  }
  return false;
}

/**
 * Collects, by path, the numbers of the well-formed object whose members begin at `at`, as the file
 * writes them, including those of objects on the path to a field.
 * @returns where the object ends, or a path that occurs twice
 */
function readNumbers(
  text: string,
  at: number,
  prefix: string,
  parentPaths: ReadonlyMap<string, unknown>,
  numbers: Map<string, string>,
): number | string {
  const names = new Set<string>();
  for (;;) {
    while (text.charCodeAt(at) <= 32) at++;
    if (text.charCodeAt(at) !== 34) return at;
    const nameEnd = endOfText(text, at);
    const quoted = text.slice(at + 1, nameEnd - 1);
    const name = quoted.includes("\\") ? (JSON.parse(`"${quoted}"`) as string) : quoted;
    const path = prefix + name;
    if (names.has(name)) return path;
    names.add(name);
    let valueStart = text.indexOf(":", nameEnd) + 1;
    while (text.charCodeAt(valueStart) <= 32) valueStart++;
    const first = text.charCodeAt(valueStart);
    if (first === 123 && parentPaths.has(path)) {
      const ended = readNumbers(text, valueStart + 1, `${path}.`, parentPaths, numbers);
      if (typeof ended === "string") return ended;
    }
    at = endOfValue(text, valueStart);
    if (first === 45 || (first >= 48 && first <= 57))
      numbers.set(path, text.slice(valueStart, at).trim());
    // The comma, or the end of the object.
    if (text.charCodeAt(at) !== 44) return at;
    at++;
  }
}

/** The position after the closing quotation mark of the text that starts there. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 34) return at + 1;
  }
}

/** The position of the comma or bracket that ends the value. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) at = endOfText(text, at) - 1;
    else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) {
      if (depth-- === 0) return at;
    } else if (code === 44 && depth === 0) return at;
  }
}
