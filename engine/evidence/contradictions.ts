/**
 * What two lines say that cannot both be true of one payment: another reference, another
 * counterparty, another account, another currency. If they contradict each other, no rule confirms
 * them, whatever else agrees.
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

/** What a line says about itself. */
type StatedNames = {
  /** As it stands, and as one word. */
  reference: string | null;
  name: string | null;
  counterparty: string | null;
  knownAs: string | null;
  /** All its texts. */
  text: string;
  /** Numbers in its texts, by what they are compared as. */
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

  /** @param numbering of these sides: only needed if references are written differently. */
  constructor(left: Lines, right: Lines, numbering: () => Numbering) {
    this.left = left;
    this.right = right;
    this.numbering = numbering;
  }

  /**
   * For a match of any shape; with several lines on a side, contradictions that hold for every pair
   * across.
   */
  of(left: ArrayLike<number>, right: ArrayLike<number>): Contradiction[] {
    if (left.length === 0 || right.length === 0)
      return this.ofReversal(left.length > 0 ? this.left : this.right, left, right);
    if (left.length === 1 && right.length === 1)
      return this.between(left[0] as number, right[0] as number);
    return this.ofGroup(left, right);
  }

  private between(l: number, r: number): Contradiction[] {
    if (this.haveStrongReference(l, r)) return [];
    return this.compare(statedNamesOf(this.left, l), statedNamesOf(this.right, r));
  }

  /** By far the most matches: one long reference on both sides outweighs what a name says. */
  haveStrongReference(l: number, r: number): boolean {
    const { reference } = this.left.hashes;
    if (reference.has(l) && reference.equal(l, this.right.hashes.reference, r))
      if (this.left.digitsIn(l, "reference") >= STRONG_DIGITS) return true;
    return this.shared?.has(l, r) ?? false;
  }

  /** From now on the numbers of lines are compared by the words that were read from them. */
  know(texts: Texts): void {
    this.shared = new SharedNumbers(texts);
  }

  private compare(left: StatedNames, right: StatedNames, isBatch = false): Contradiction[] {
    const found: Contradiction[] = [];
    const agreed = namedReference(left, right);
    if (agreed !== null && isStrong(agreed)) return found;
    if (agreed === null) {
      // Another customer's number in both texts doesn't make two invoices of one.
      const differing = this.differingReference(left, right, isBatch);
      if (differing) found.push({ field: "reference", left: differing[0], right: differing[1] });
    }
    const isNamed = found.length === 0 && sharedNumber(left, right) !== null;
    return [
      ...found,
      ...(isNamed ? [] : differingParty(left, right)),
      ...differingMoney(left, right),
    ];
  }

  /** A batch has a number of another kind than its lines. */
  private differingReference(
    left: StatedNames,
    right: StatedNames,
    isBatch: boolean,
  ): [string, string] | null {
    const shown = (said: StatedNames) => said.reference ?? (said.name as string);
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
   * A batch has its own number: the lines that it names are compared only if it names lines of
   * their kind, and none of these.
   */
  private ofGroup(left: ArrayLike<number>, right: ArrayLike<number>): Contradiction[] {
    if (this.haveOneKey(left, right)) return [];
    const lefts = Array.from(left, (line) => statedNamesOf(this.left, line));
    const rights = Array.from(right, (line) => statedNamesOf(this.right, line));
    const pairs = lefts.flatMap((item) => rights.map((other) => [item, other] as const));
    if (pairs.some(([said, other]) => agreedReference(said, other) !== null)) return [];
    const [first, ...others] = pairs.map(([said, other]) => this.compare(said, other, true));
    const isBatch = [lefts, rights].some(nameSeveralCounterparties);
    return (first ?? []).filter(
      ({ field }) =>
        !(isBatch && field === "counterparty") &&
        others.every((found) => found.some((contradiction) => contradiction.field === field)),
    );
  }

  private haveOneKey(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
    const [own, other] = [this.left.hashes.group_key, this.right.hashes.group_key];
    const [l, r] = [left[0] as number, right[0] as number];
    return own.has(l) && own.equal(l, other, r);
  }

  private ofReversal(
    lines: Lines,
    left: ArrayLike<number>,
    right: ArrayLike<number>,
  ): Contradiction[] {
    const [one, other] = Array.from(left.length > 0 ? left : right, (line) =>
      statedNamesOf(lines, line),
    );
    return one && other ? [...differingParty(one, other), ...differingMoney(one, other)] : [];
  }
}

/** The reference of one side that the other side has or contains; null if there is none. */
function namedReference(left: StatedNames, right: StatedNames): string | null {
  return (
    oneNumber(left.name, right.name) ??
    saidNumber(left.name, right.numbers) ??
    saidNumber(right.name, left.numbers)
  );
}

/** A number that both sides name, as a reference or in their texts; null if there is none. */
export function agreedReference(left: StatedNames, right: StatedNames): string | null {
  return namedReference(left, right) ?? sharedNumber(left, right);
}

function sharedNumber(left: StatedNames, right: StatedNames): string | null {
  for (const number of left.numbers)
    if (right.numbers.includes(number) && isStrong(number) && !isDate(number)) return number;
  return null;
}

/** What two references have in common; null if they are not the same. */
function oneNumber(left: string | null, right: string | null): string | null {
  if (left === null || right === null) return null;
  if (left === right || otherFormsOf(left).includes(right)) return right;
  return otherFormsOf(right).includes(left) ? left : null;
}

function saidNumber(name: string | null, numbers: readonly string[]): string | null {
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

/** The minimum digits of a number in a text: a single digit says nothing. */
const MIN_DIGITS = 2;

/** Whether lines name more than one counterparty. */
export function nameSeveralCounterparties(lines: readonly StatedNames[]): boolean {
  const names = lines.flatMap(({ counterparty }) => counterparty ?? []);
  return names.some((name) => namesDiffer(name, names[0] as string));
}

/** Whether one of two lines has a reference, perhaps in its text, that the other doesn't say. */
export function lacksReference(left: StatedNames, right: StatedNames): boolean {
  return (isNumbered(left) || isNumbered(right)) && agreedReference(left, right) === null;
}

function isNumbered({ name, numbers }: StatedNames): boolean {
  return name !== null || numbers.some((number) => isStrong(number) && !isDate(number));
}

/** Whether the texts of one line have every word of the other's counterparty. */
export function containsWholeName(left: StatedNames, right: StatedNames): boolean {
  return hasWholeName(left.text, right.counterparty) || hasWholeName(right.text, left.counterparty);
}

function hasWholeName(text: string, name: string | null): boolean {
  if (name === null) return false;
  const words = new Set(wordsOf(text, "counterparty"));
  return wordsOf(name, "counterparty").every((word) => words.has(word));
}

function differingParty(left: StatedNames, right: StatedNames): Contradiction[] {
  if (left.counterparty !== null && right.counterparty !== null) {
    const isKnown = right.knownAs !== null && containsName(left.text, right.knownAs);
    const isSaid = namesDiffer(left.counterparty, right.counterparty)
      ? containsName(withoutParty(left), right.counterparty) ||
        containsName(withoutParty(right), left.counterparty)
      : !legalFormsDiffer(left.counterparty, right.counterparty);
    if (!isKnown && !isSaid)
      return [{ field: "counterparty", left: left.counterparty, right: right.counterparty }];
  }
  return [];
}

function differingMoney(left: StatedNames, right: StatedNames): Contradiction[] {
  const found: Contradiction[] = [];
  const accounts = [accountsIn(left.text), accountsIn(right.text)] as const;
  if (areDisjoint(...accounts))
    found.push({ field: "account", left: String(accounts[0]), right: String(accounts[1]) });
  const currencies = [currenciesIn(left.text), currenciesIn(right.text)] as const;
  if (areDisjoint(...currencies))
    found.push({ field: "currency", left: String(currencies[0]), right: String(currencies[1]) });
  return found;
}

function withoutParty({ text, counterparty }: StatedNames): string {
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
    // The text after it may look like its last group.
    for (let length = Math.min(34, account.length); length >= 15; length--) {
      const cut = account.slice(0, length);
      if (remainder97(cut.slice(4) + cut.slice(0, 4)) !== 1) continue;
      found.push(cut);
      break;
    }
  }
  return found;
}

const CODES =
  "AED|AUD|BGN|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|MYR|NOK|NZD|PHP|PLN|RON|SEK|SGD|THB|TRY|TWD|USD|ZAR";
const MONEY = new RegExp(`\\b(${CODES})\\s?\\d|\\d[\\d.,' ]*?(${CODES})\\b|([€$£])\\s?\\d`, "gi");
const SIGNS: Record<string, string> = { "€": "EUR", $: "USD", "£": "GBP" };

/** Currencies next to an amount. */
function currenciesIn(text: string): string[] {
  if (!/\d/.test(text)) return [];
  return Array.from(
    text.matchAll(MONEY),
    ([, before, after, sign]) =>
      (before ?? after)?.toUpperCase() ?? (SIGNS[sign as string] as string),
  );
}

const CHECK =
  /\b(?:checks?|cheques?|chq|chk|scheck)\b[\s.:#-]*(?:(?:no|nr|number|paid)\b[\s.:#-]*)*0*(\d{2,12})\b/i;

function checkNumberIn(text: string | null): string | null {
  return text === null ? null : (CHECK.exec(text)?.[1] ?? null);
}
