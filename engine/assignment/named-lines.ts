/** Finds the lines of the two sides that share a number, as a reference or in a text. */

import type { Lines } from "../lines.ts";
import { withoutCheckDigits } from "../prepare/check-digits.ts";
import {
  digitsIn,
  identifierOf,
  identifiersIn,
  isAmount,
  isDate,
  isStrong,
  MIN_FOUND_DIGITS,
  otherFormsOf,
} from "../prepare/identifiers.ts";
import type { Named } from "../prepare/named.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { TextField } from "../prepare/text.ts";
import type { Progress } from "../progress.ts";
import type { Side } from "../side.ts";

const SIDES = ["left", "right"] as const;
/** A number that more lines of a side have belongs to a customer or an account. */
const MAX_LINES = 20;
const SLICE = 2000;
const BITS_PER_LINE = 64;
/** 16 MB. */
const MAX_BITS = 2 ** 27;

/**
 * The numbers of a line: its reference, other forms of the reference, and the numbers in its texts.
 * `uncertain`: those of them that it only has if the digit after them is a check digit.
 */
type Numbers = {
  reference: string[];
  otherForms: string[];
  quoted: string[];
  uncertain: string[];
};
type Lists = Map<string, number[]>;
type Index = Record<Kind, Lists>;

export class NamedLines {
  private readonly named: { left: Map<number, Named[]>; right: Map<number, Named[]> };
  private readonly byName: Record<Side, Index>;
  private readonly uncertain: ReadonlyMap<number, string[]>;

  /**
   * Reads the open lines. Only numbers that both sides have are stored, because others match
   * nothing and would take more memory than the lines themselves. For this the shorter side is read
   * twice, first for the numbers that it may have.
   */
  static *read(state: RunState, stage: string): Generator<Progress, NamedLines> {
    const [shorter, longer] = [...SIDES].sort(
      (one, other) => state.openCount(one) - state.openCount(other),
    ) as [Side, Side];
    const byName = { left: emptyIndex(), right: emptyIndex() };
    const lefts = new Map<number, Numbers>();
    const uncertain = new Map<number, string[]>();
    const filters = perKind(() => new NameFilter(state.openCount(shorter)));
    for (const { numbers } of numbersOfSide(state, shorter)) {
      if (!numbers) yield { stage, done: 0, total: 0 };
      else for (const kind of KINDS) for (const name of numbers[kind]) filters[kind].add(name);
    }
    for (const side of [longer, shorter]) {
      const others = side === longer ? filters : byName[longer];
      for (const { line, numbers } of numbersOfSide(state, side)) {
        if (!numbers) {
          yield { stage, done: line, total: state[side].length };
          continue;
        }
        let isShared = false;
        for (const kind of KINDS)
          for (const name of numbers[kind])
            if (JOINED_WITH[kind].some((other) => others[other].has(name))) {
              push(byName[side][kind], name, line);
              isShared = true;
            }
        if (!isShared) continue;
        if (side === "left") lefts.set(line, numbers);
        else if (numbers.uncertain.length > 0) uncertain.set(line, numbers.uncertain);
      }
    }
    return new NamedLines(lefts, byName, uncertain);
  }

  /** @param uncertain the uncertain numbers of each right line. */
  private constructor(
    lefts: ReadonlyMap<number, Numbers>,
    byName: Record<Side, Index>,
    uncertain: ReadonlyMap<number, string[]>,
  ) {
    this.byName = byName;
    this.uncertain = uncertain;
    this.named = { left: new Map(), right: new Map() };
    const { left, right } = byName;
    for (const [line, numbers] of lefts) {
      const { reference, otherForms, quoted } = numbers;
      const join = (name: string, lists: Lists, isInOtherText: boolean) =>
        this.join(line, name, lists, isInOtherText, numbers.uncertain.includes(name));
      for (const name of reference) {
        join(name, right.reference, false);
        join(name, right.otherForms, false);
        join(name, right.quoted, true);
      }
      for (const name of otherForms) {
        join(name, right.reference, false);
        join(name, right.quoted, true);
      }
      for (const name of quoted) {
        join(name, right.reference, false);
        join(name, right.otherForms, false);
        const isOnly = left.quoted.get(name)?.length === 1 && right.quoted.get(name)?.length === 1;
        if (isOnly && isStrong(name) && !isDate(name)) join(name, right.quoted, true);
      }
    }
  }

  /** The lines that share a number with a line, in the order in which they were found. */
  of(side: Side, line: number): readonly Named[] {
    return this.named[side].get(line) ?? NO_LINES;
  }

  /** Whether no other open line of either side has the number that two lines share. */
  isOnlyName(left: number, { line, name }: Named): boolean {
    return SIDES.every((side) => {
      const own = side === "left" ? left : line;
      return KINDS.every((kind) =>
        (this.byName[side][kind].get(name) ?? []).every((one) => one === own),
      );
    });
  }

  private join(
    left: number,
    name: string,
    lists: Lists,
    isInOtherText: boolean,
    isOwnUncertain: boolean,
  ): void {
    const lines = lists.get(name);
    if (!lines || lines.length > MAX_LINES) return;
    for (const right of lines) {
      const isUncertain = isOwnUncertain || this.uncertain.get(right)?.includes(name) === true;
      if (!add(this.named.left, left, { line: right, name, isInOtherText, isUncertain })) continue;
      add(this.named.right, right, {
        line: left,
        name,
        isInOtherText: !isInOtherText,
        isUncertain,
      });
    }
  }
}

/** A Bloom filter of one bit per name: it also contains a few other names by chance. */
class NameFilter {
  private readonly bits: Uint32Array;

  constructor(lines: number) {
    const size = 2 ** Math.ceil(Math.log2(BITS_PER_LINE * Math.max(lines, 64)));
    this.bits = new Uint32Array(Math.min(size, MAX_BITS) / 32);
  }

  add(name: string): void {
    const bit = this.bitOf(name);
    this.bits[bit >>> 5] = (this.bits[bit >>> 5] as number) | (1 << (bit & 31));
  }

  has(name: string): boolean {
    const bit = this.bitOf(name);
    return (((this.bits[bit >>> 5] as number) >>> (bit & 31)) & 1) === 1;
  }

  private bitOf(name: string): number {
    let hash = 0x811c9dc5;
    for (let at = 0; at < name.length; at++)
      hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    return (hash ^ (hash >>> 15)) & (this.bits.length * 32 - 1);
  }
}

/**
 * Yields the open lines of a side that have numbers, in canonical order, and null numbers before
 * every `SLICE` lines, so that the run can report its progress.
 */
function* numbersOfSide(
  state: RunState,
  side: Side,
): Generator<{ line: number; numbers: Numbers | null }> {
  const open = state.open(side);
  for (let at = 0; at < open.length; at++) {
    const line = open[at] as number;
    if (at % SLICE === 0) yield { line: at, numbers: null };
    const numbers = numbersOf(state[side], line);
    if (numbers && numbers.reference.length + numbers.quoted.length > 0) yield { line, numbers };
  }
}

const KINDS = ["reference", "otherForms", "quoted"] as const;
type Kind = (typeof KINDS)[number];
/** Two references that only have another form in common, such as INV-7 and PO-7, are not joined. */
const JOINED_WITH: Record<Kind, readonly Kind[]> = {
  reference: KINDS,
  otherForms: ["reference", "quoted"],
  quoted: KINDS,
};

function perKind<Value>(make: () => Value): Record<Kind, Value> {
  return { reference: make(), otherForms: make(), quoted: make() };
}
const NO_LINES: readonly Named[] = [];

/** Null if no text has a digit, as in most lines of some sources. */
function numbersOf(lines: Lines, line: number): Numbers | null {
  const reference = textWithDigits(lines, line, "reference");
  const description = textWithDigits(lines, line, "description");
  const counterparty = textWithDigits(lines, line, "counterparty");
  if (reference === null && description === null && counterparty === null) return null;
  const name = identifierOf(reference);
  const isNumbered = name !== null && digitsIn(name) >= MIN_FOUND_DIGITS;
  const references = isNumbered ? [name] : [];
  const otherForms = isNumbered ? otherFormsOf(name) : [];
  const phrases: string[] = [];
  for (const text of [description, counterparty, name === null ? reference : null]) {
    for (const one of identifiersIn(text))
      if (
        digitsIn(one) >= MIN_FOUND_DIGITS &&
        one !== name &&
        !YEAR.test(one) &&
        !isAmount(one, lines.amount[line] as number)
      )
        phrases.push(one);
  }
  const uncertain = isNumbered && !isCreditorReference(name) ? withoutCheckDigits(name) : [];
  for (let at = 0, end = phrases.length; at < end; at++)
    for (const body of withoutCheckDigits(phrases[at] as string)) {
      if (phrases.includes(body)) continue;
      phrases.push(body);
      if (!isCreditorReference(phrases[at] as string)) uncertain.push(body);
    }
  return { reference: references, otherForms, quoted: phrases, uncertain };
}

function isCreditorReference(name: string): boolean {
  return name.startsWith("RF");
}

/** Null if the text has no digit. Its bytes show that without creating a string. */
function textWithDigits(lines: Lines, line: number, field: TextField): string | null {
  return lines.digitsIn(line, field) > 0 ? lines.text(line, field) : null;
}

const YEAR = /^(19|20)\d\d$/;

function emptyIndex(): Index {
  return perKind(() => new Map());
}

function push(lists: Lists, key: string, line: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [line]);
  else if (list.length <= MAX_LINES && list[list.length - 1] !== line) list.push(line);
}

/** @returns false if the line is already in the list, with at least the same certainty. */
function add(lists: Map<number, Named[]>, line: number, named: Named): boolean {
  const list = lists.get(line);
  const at = list?.findIndex((one) => one.line === named.line) ?? -1;
  if (!list) lists.set(line, [named]);
  else if (at < 0) list.push(named);
  else if (list[at]?.isUncertain && !named.isUncertain) list[at] = named;
  else return false;
  return true;
}
