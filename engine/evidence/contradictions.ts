/**
 * Finds what two lines say that can't both be true of one payment: different references,
 * counterparties, accounts or currencies. Lines that contradict each other are never confirmed as a
 * match by any rule, whatever else agrees.
 */
import type { Lines } from "../lines.ts";
import { remainder97 } from "../prepare/check-digits.ts";
import {
  digitsIn,
  identifierOf,
  identifiersIn,
  isAmount,
  isDate,
  isStrong,
  otherFormsOf,
  STRONG_DIGITS,
} from "../prepare/identifiers.ts";
import { wordsOf } from "../prepare/text.ts";
import type { Texts } from "../prepare/texts.ts";
import { legalFormsDiffer } from "./legal-forms.ts";
import { containsName, namesDiffer } from "./names-differ.ts";
import { kindOf, type Numbering } from "./numbering.ts";
import { SharedNumbers } from "./shared-numbers.ts";

export type Contradiction = {
  field: "reference" | "counterparty" | "account" | "currency";
  left: string;
  right: string;
};

/** The reference, names and numbers that a line states. */
type StatedNames = {
  /** The reference as received. */
  reference: string | null;
  /** The reference, or else the check number of the description, as one word. */
  name: string | null;
  counterparty: string | null;
  knownAs: string | null;
  /** All texts of the line. */
  text: string;
  /** The numbers in the texts, in the form in which they are compared. */
  numbers: string[];
};

export function statedNamesOf(lines: Lines, line: number): StatedNames {
  const reference = lines.text(line, "reference");
  const counterparty = lines.text(line, "counterparty");
  const description = lines.text(line, "description");
  const groupKey = lines.text(line, "group_key");
  const name = identifierOf(reference) ?? checkNumberIn(description);
  return {
    reference,
    name,
    counterparty: lines.hashes.counterparty.has(line) ? counterparty : null,
    knownAs: lines.knownAs.get(line) ?? null,
    text: [counterparty, description, reference, groupKey].filter(Boolean).join(" \n"),
    numbers: [description, counterparty, groupKey, name === null ? reference : null]
      .flatMap(identifiersIn)
      .filter((value) => !isAmount(value, lines.amount[line] as number)),
  };
}

export class Contradictions {
  private readonly left: Lines;
  private readonly right: Lines;
  private readonly numbering: () => Numbering;
  private shared: SharedNumbers | null = null;

  /** @param numbering of both sides, which is read only when references differ. */
  constructor(left: Lines, right: Lines, numbering: () => Numbering) {
    this.left = left;
    this.right = right;
    this.numbering = numbering;
  }

  /**
   * The contradictions within a match of any shape. With several lines on a side, these are the
   * contradictions that every pair across the sides has.
   */
  of(left: ArrayLike<number>, right: ArrayLike<number>): Contradiction[] {
    if (left.length === 0 || right.length === 0)
      return this.compareReversal(left.length > 0 ? this.left : this.right, left, right);
    if (left.length === 1 && right.length === 1)
      return this.comparePair(left[0] as number, right[0] as number);
    return this.compareGroup(left, right);
  }

  private comparePair(l: number, r: number): Contradiction[] {
    if (this.shareStrongReference(l, r)) return [];
    return this.compare(statedNamesOf(this.left, l), statedNamesOf(this.right, r));
  }

  /**
   * Whether both lines have the same long reference, which outweighs differing names. Most matches
   * have one.
   */
  shareStrongReference(l: number, r: number): boolean {
    const { reference } = this.left.hashes;
    if (reference.has(l) && reference.equal(l, this.right.hashes.reference, r))
      if (this.left.digitsIn(l, "reference") >= STRONG_DIGITS) return true;
    return this.shared?.has(l, r) ?? false;
  }

  /** Sets the texts that were read, by whose words the numbers of lines are then compared. */
  setTexts(texts: Texts): void {
    this.shared = new SharedNumbers(texts);
  }

  private compare(left: StatedNames, right: StatedNames, isBatch = false): Contradiction[] {
    const found: Contradiction[] = [];
    const sharedName = namedReference(left, right);
    if (sharedName !== null && isStrong(sharedName)) return found;
    if (sharedName === null) {
      // A number in both texts, such as a customer's, doesn't make two invoices the same.
      const differing = this.differingReference(left, right, isBatch);
      if (differing) found.push({ field: "reference", left: differing[0], right: differing[1] });
    }
    const isNamed = found.length === 0 && sharedNumber(left, right) !== null;
    return [
      ...found,
      ...(isNamed ? [] : differingCounterparty(left, right)),
      ...differingAccountOrCurrency(left, right),
    ];
  }

  /**
   * Two references that contradict each other, or null. A batch has a number of another kind than
   * its lines, so references of a batch contradict only if they are of one kind.
   */
  private differingReference(
    left: StatedNames,
    right: StatedNames,
    isBatch: boolean,
  ): [string, string] | null {
    const shown = (stated: StatedNames) => stated.reference ?? (stated.name as string);
    if (left.name !== null && right.name !== null) {
      const areRivals = isBatch
        ? kindOf(left.name) === kindOf(right.name)
        : this.numbering().areComparable(left.name, right.name);
      if (areRivals) return [shown(left), shown(right)];
    }
    if (left.name !== null) {
      const other = this.numbering().rivalOf("left", left.name, right.numbers);
      if (other !== null) return [shown(left), other];
    }
    if (right.name !== null) {
      const other = this.numbering().rivalOf("right", right.name, left.numbers);
      if (other !== null) return [other, shown(right)];
    }
    return null;
  }

  /**
   * A batch has its own number, so its lines contradict it only if it names numbers of their kind,
   * but the number of none of them.
   */
  private compareGroup(left: ArrayLike<number>, right: ArrayLike<number>): Contradiction[] {
    if (this.haveOneKey(left, right)) return [];
    const lefts = Array.from(left, (line) => statedNamesOf(this.left, line));
    const rights = Array.from(right, (line) => statedNamesOf(this.right, line));
    const pairs = lefts.flatMap((item) => rights.map((other) => [item, other] as const));
    if (pairs.some(([one, other]) => sharedReference(one, other) !== null)) return [];
    const [first, ...others] = pairs.map(([one, other]) => this.compare(one, other, true));
    const isBatch = [lefts, rights].some(nameSeveralCounterparties);
    return (first ?? []).filter(
      ({ field }) =>
        !(isBatch && field === "counterparty") &&
        others.every((found) => found.some((contradiction) => contradiction.field === field)),
    );
  }

  private haveOneKey(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
    const [leftKeys, rightKeys] = [this.left.hashes.group_key, this.right.hashes.group_key];
    const [l, r] = [left[0] as number, right[0] as number];
    return leftKeys.has(l) && leftKeys.equal(l, rightKeys, r);
  }

  private compareReversal(
    lines: Lines,
    left: ArrayLike<number>,
    right: ArrayLike<number>,
  ): Contradiction[] {
    const [one, other] = Array.from(left.length > 0 ? left : right, (line) =>
      statedNamesOf(lines, line),
    );
    return one && other
      ? [...differingCounterparty(one, other), ...differingAccountOrCurrency(one, other)]
      : [];
  }
}

/** A reference that the other line has as its reference or in a text; null if there is none. */
function namedReference(left: StatedNames, right: StatedNames): string | null {
  return (
    commonNumber(left.name, right.name) ??
    quotedNumber(left.name, right.numbers) ??
    quotedNumber(right.name, left.numbers)
  );
}

/** A number that both lines contain, as a reference or in texts; null if there is none. */
export function sharedReference(left: StatedNames, right: StatedNames): string | null {
  return namedReference(left, right) ?? sharedNumber(left, right);
}

function sharedNumber(left: StatedNames, right: StatedNames): string | null {
  for (const number of left.numbers)
    if (right.numbers.includes(number) && isStrong(number) && !isDate(number)) return number;
  return null;
}

/** The form of a number that two references have in common; null if they differ. */
function commonNumber(left: string | null, right: string | null): string | null {
  if (left === null || right === null) return null;
  if (left === right || otherFormsOf(left).includes(right)) return right;
  return otherFormsOf(right).includes(left) ? left : null;
}

function quotedNumber(name: string | null, numbers: readonly string[]): string | null {
  if (name === null || numbers.length === 0) return null;
  const forms = [name, ...otherFormsOf(name)];
  return (
    numbers.find(
      (number) =>
        digitsIn(number) >= MIN_DIGITS &&
        (forms.includes(number) || otherFormsOf(number).includes(name)),
    ) ?? null
  );
}

/** The minimum number of digits of a number in a text: a single digit identifies nothing. */
const MIN_DIGITS = 2;

/** Whether lines have different counterparties. */
export function nameSeveralCounterparties(lines: readonly StatedNames[]): boolean {
  const names = lines.flatMap(({ counterparty }) => counterparty ?? []);
  return names.some((name) => namesDiffer(name, names[0] as string));
}

/** Whether a line has a reference, or one in its text, and the two lines share none. */
export function lacksReference(left: StatedNames, right: StatedNames): boolean {
  return (isNumbered(left) || isNumbered(right)) && sharedReference(left, right) === null;
}

function isNumbered({ name, numbers }: StatedNames): boolean {
  return name !== null || numbers.some((number) => isStrong(number) && !isDate(number));
}

/** Whether the texts of one line contain every word of the other line's counterparty. */
export function containsWholeName(left: StatedNames, right: StatedNames): boolean {
  return hasWholeName(left.text, right.counterparty) || hasWholeName(right.text, left.counterparty);
}

function hasWholeName(text: string, name: string | null): boolean {
  if (name === null) return false;
  const words = new Set(wordsOf(text, "counterparty"));
  return wordsOf(name, "counterparty").every((word) => words.has(word));
}

function differingCounterparty(left: StatedNames, right: StatedNames): Contradiction[] {
  if (left.counterparty !== null && right.counterparty !== null) {
    const hasKnownName = right.knownAs !== null && containsName(left.text, right.knownAs);
    const isConsistent = namesDiffer(left.counterparty, right.counterparty)
      ? containsName(textWithoutCounterparty(left), right.counterparty) ||
        containsName(textWithoutCounterparty(right), left.counterparty)
      : !legalFormsDiffer(left.counterparty, right.counterparty);
    if (!hasKnownName && !isConsistent)
      return [{ field: "counterparty", left: left.counterparty, right: right.counterparty }];
  }
  return [];
}

function differingAccountOrCurrency(left: StatedNames, right: StatedNames): Contradiction[] {
  const found: Contradiction[] = [];
  const accounts = [accountsIn(left.text), accountsIn(right.text)] as const;
  if (areDisjoint(...accounts))
    found.push({ field: "account", left: String(accounts[0]), right: String(accounts[1]) });
  const currencies = [currenciesIn(left.text), currenciesIn(right.text)] as const;
  if (areDisjoint(...currencies))
    found.push({ field: "currency", left: String(currencies[0]), right: String(currencies[1]) });
  return found;
}

function textWithoutCounterparty({ text, counterparty }: StatedNames): string {
  return counterparty === null ? text : text.slice(counterparty.length);
}

function areDisjoint(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && b.length > 0 && !a.some((value) => b.includes(value));
}

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g;

function accountsIn(text: string): string[] {
  const found: string[] = [];
  for (const [written] of text.toUpperCase().matchAll(IBAN)) {
    const account = written.replaceAll(" ", "");
    // The text after an account may look like its last group, so shorter lengths are tried, too.
    for (let length = Math.min(34, account.length); length >= 15; length--) {
      const iban = account.slice(0, length);
      if (remainder97(iban.slice(4) + iban.slice(0, 4)) !== 1) continue;
      found.push(iban);
      break;
    }
  }
  return found;
}

const CURRENCY_CODES =
  "AED|AUD|BGN|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|MYR|NOK|NZD|PHP|PLN|RON|SEK|SGD|THB|TRY|TWD|USD|ZAR";
const MONEY = new RegExp(
  `\\b(${CURRENCY_CODES})\\s?\\d|\\d[\\d.,' ]*?(${CURRENCY_CODES})\\b|([€$£])\\s?\\d`,
  "gi",
);
const CURRENCY_SIGNS: Record<string, string> = { "€": "EUR", $: "USD", "£": "GBP" };

/** The currencies that stand next to an amount. */
function currenciesIn(text: string): string[] {
  if (!/\d/.test(text)) return [];
  return Array.from(
    text.matchAll(MONEY),
    ([, before, after, sign]) =>
      (before ?? after)?.toUpperCase() ?? (CURRENCY_SIGNS[sign as string] as string),
  );
}

const CHECK =
  /\b(?:checks?|cheques?|chq|chk|scheck)\b[\s.:#-]*(?:(?:no|nr|number|paid)\b[\s.:#-]*)*0*(\d{2,12})\b/i;

function checkNumberIn(text: string | null): string | null {
  return text === null ? null : (CHECK.exec(text)?.[1] ?? null);
}
