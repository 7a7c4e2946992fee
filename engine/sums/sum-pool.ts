/**
 * Where the summands of a line may be found: families of lines of the other side, the most specific
 * first.
 */

import { type Days, daysAround, farthest, joined, within } from "../candidates/window.ts";
import { saysName } from "../evidence/names-differ.ts";
import type { Lines } from "../lines.ts";
import { type AmountTolerance, isWithin, reachOf, toleranceOf } from "../prepare/amounts.ts";
import { digitsIn, isDate, LEAST_FOUND } from "../prepare/identifiers.ts";
import { listed } from "../prepare/listed.ts";
import { compareLines } from "../prepare/order.ts";
import type { RunState } from "../prepare/run-state.ts";
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";
import { WordIndex } from "../prepare/word-index.ts";
import type { Rule } from "../rules.ts";
import type { Side } from "../side.ts";
import { firstWordOf, lettersOfCutName, wordsBeforeNumbers } from "./cut-names.ts";
import { WordGroups } from "./word-groups.ts";

/**
 * The lines of `core` are all taken to be part of the sum; of `lines`, if not `whole`, any, or
 * `most` of them. `tries`: how many families were looked at to find this one.
 */
export type Family = {
  core: number[];
  lines: number[];
  named: boolean;
  whole: boolean;
  most?: number;
  tries?: number;
  /**
   * Batches may be larger than other sums; `count` is set where the target states the number of
   * lines.
   */
  batch?: { count: number | null };
  /** Whether the target's text has only the beginning of the name, which other names may share. */
  isGuess?: boolean;
};

/** For targets of each side. */
export type SumPools = Record<Side, SumPool>;

/** Words of more lines than this say little of which belong together. */
const RARE = 60;
/** The maximum number of lines examined in a window, nearest days first. */
const LOOKED_AT = 400;
const DEFAULT_DAYS = 7;
/** A number that more lines have is a customer's, a batch's or a month's. */
const MOST_QUOTES = 4;
/** A cut name that begins more names than this says nothing of whose it is. */
const MOST_NAMES = 3;

export class SumPool {
  readonly other: Lines;
  private readonly own: Lines;
  private readonly ownTexts: SideTexts;
  private readonly otherTexts: SideTexts;
  private readonly texts: Texts;
  private readonly rarity: Float64Array;
  private readonly tolerance: AmountTolerance;
  private readonly days: Days;
  /**
   * In which lines of a name that the target says are looked for: a payer takes what is due,
   * however old.
   */
  private readonly namedDays: Days;
  /** How far days lie apart in sure matches; null where these are too few to tell. */
  private readonly usualDays: Days | null;
  private readonly dayNumber: (day: number) => number;
  /** Lines of the other side by day, then canonically, and where each day begins. */
  private readonly byDay: Int32Array;
  private readonly dayStart = new Map<number, { from: number; to: number }>();
  /** Lines of the other side by rare word, in the order of `byDay`. */
  private readonly byWord: WordIndex;
  private groups: WordGroups | null = null;
  private byAmount: Map<number, number[]> | null = null;
  /** The rare words of the last target that was asked for. */
  private asked: { target: number; rare: number[] } = { target: -1, rare: [] };
  /** The last target that was asked for, and whether its window is a crowd. */
  private crowd = { target: -1, is: false };

  constructor(
    state: RunState,
    rule: Rule,
    side: Side,
    dayNumber: (day: number) => number,
    reach: Days,
  ) {
    const texts = state.texts();
    this.own = state[side];
    this.other = side === "left" ? state.right : state.left;
    this.ownTexts = side === "left" ? texts.left : texts.right;
    this.otherTexts = side === "left" ? texts.right : texts.left;
    this.texts = texts;
    this.rarity = texts.rarity;
    this.tolerance = toleranceOf(rule);
    const { before, after } =
      rule.days_before === undefined && rule.days_after === undefined
        ? { before: DEFAULT_DAYS, after: DEFAULT_DAYS }
        : daysAround(rule);
    const learnt = joined({ before, after }, within(reach, farthest({ before, after })));
    const turned = (days: Days) =>
      side === "left" ? days : { before: days.after, after: days.before };
    this.days = turned(learnt);
    this.usualDays = reach.before + reach.after > 0 ? turned(reach) : null;
    const far = farthest({ before, after });
    const most = Math.max(far.before, far.after, learnt.before, learnt.after);
    this.namedDays = { before: most, after: most };
    this.dayNumber = dayNumber;
    // In canonical order, which begins with the day.
    this.byDay = state.openUncancelled(this.other.side);
    this.byDay.forEach((line, at) => {
      const day = dayNumber(this.other.value_date[line] as number);
      const range = this.dayStart.get(day);
      if (range) range.to = at + 1;
      else this.dayStart.set(day, { from: at, to: at + 1 });
    });
    this.byWord = new WordIndex(
      this.otherTexts,
      texts.spelling.length,
      this.byDay.length,
      (at) => this.otherTexts.rowOf[this.byDay[at] as number] as number,
      (word) => (texts.lineCount[word] as number) <= RARE,
    );
    const { item } = this.byWord;
    for (let at = 0; at < item.length; at++) item[at] = this.byDay[item[at] as number] as number;
  }

  /** Whether the other side has a line of about this amount in the window. */
  hasEqual(target: number): boolean {
    const amount = this.own.amount[target] as number;
    if (this.isCrowded(target)) return false;
    return this.inWindow(target).some((line) =>
      isWithin(this.tolerance, amount, this.other.amount[line] as number),
    );
  }

  /** Whether a line of the other side in the window has the target's amount and its name. */
  hasNamedEqual(target: number): boolean {
    this.byAmount ??= byAmountOf(this.other, this.byDay);
    const equals = this.byAmount.get(this.own.amount[target] as number) ?? [];
    return equals.some(
      (line) =>
        this.reaches(target, line) &&
        (callsByName(this.own, target, this.other, line) ||
          callsByName(this.other, line, this.own, target)),
    );
  }

  /** Whether there is nowhere to look: nothing names the target, and its window is a crowd. */
  isLost(target: number): boolean {
    const { rowOf, start, words } = this.ownTexts;
    const cell = (rowOf[target] as number) * FIELD_COUNT;
    if (cell >= 0)
      for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++)
        if (this.byWord.has(words[at] as number)) return false;
    return this.isCrowded(target);
  }

  /**
   * @param farther whether a name that the target says is looked for in the days of `namedDays`,
   * too.
   */
  *families(target: number, farther: boolean): Generator<Family> {
    const named = this.named(target);
    // A crowd is cut off somewhere: what is the sum of some of it by chance means nothing.
    const crowded = this.isCrowded(target);
    const near = crowded ? [] : this.inWindow(target);
    if (named.length >= (crowded ? 2 : 1)) {
      if (named.length >= 2) {
        yield { core: [], lines: named, named: true, whole: true };
        for (const lines of this.byField(named))
          yield { core: [], lines, named: true, whole: true };
      }
      for (const core of this.cores(target, named)) {
        if (core.length >= 2) {
          yield { core: [], lines: core, named: true, whole: true };
          yield* this.someOfBatch(target, core, true);
        }
        const fill = this.summands(target, this.likeThem(core, crowded ? named : near));
        if (fill.length > 0) yield { core, lines: fill, named: true, whole: false };
        const onTheSameDay = this.summands(target, this.besideThem(core, near));
        if (onTheSameDay.length > 0)
          yield { core, lines: onTheSameDay, named: true, whole: false, most: 1 };
      }
      yield { core: [], lines: this.summands(target, named), named: true, whole: false };
    }
    yield* this.ofOneWord(target, true);
    const called = this.calledByName(target, crowded ? named : near);
    for (const lines of called) yield* this.ofOneName(target, lines);
    if (called.length === 0)
      for (const lines of this.calledByFirstWord(target, crowded ? named : near))
        for (const family of this.ofOneName(target, lines)) yield { ...family, isGuess: true };
    if (!crowded && farther)
      for (const lines of this.calledByName(target, this.inWindow(target, true)))
        if (!called.some(({ length }) => length === lines.length))
          yield* this.someOf(target, lines);
    if (crowded) return;
    for (const lines of this.byDays(near)) yield { core: [], lines, named: false, whole: true };
    for (const lines of this.byField(near)) {
      yield { core: [], lines, named: false, whole: true };
      for (const sameDay of this.byDays(lines))
        if (sameDay.length < lines.length)
          yield { core: [], lines: sameDay, named: false, whole: true };
    }
    yield* this.ofOneWord(target, false);
    for (const lines of this.byField(near, ["description"]))
      yield* this.someOfBatch(target, lines, false);
    for (const lines of this.byField(near)) {
      for (const sameDay of this.byDays(lines))
        if (sameDay.length < lines.length)
          yield { core: [], lines: this.summands(target, sameDay), named: false, whole: false };
      yield { core: [], lines: this.summands(target, lines), named: false, whole: false };
    }
    yield { core: [], lines: this.summands(target, near), named: false, whole: false };
  }

  /**
   * Lines that the target may pay together: those whose references it quotes, then those of a
   * counterparty that it names, then some of these.
   */
  *payable(target: number): Generator<{ lines: number[]; whole: boolean }> {
    const quoted = new Set(this.numbersOf(target).flatMap((word) => this.linesCalled(word)));
    const lines = this.summands(target, [...quoted]).filter((line) => this.reaches(target, line));
    if (lines.length >= 2) yield { lines, whole: true };
    if (lines.length > 0 || this.isCrowded(target)) return;
    for (const ofName of this.calledByName(target, this.inWindow(target))) {
      const invoices = this.usualFirst(target, this.summands(target, ofName));
      if (invoices.length < 2) continue;
      yield { lines: invoices, whole: true };
      yield { lines: invoices, whole: false };
    }
  }

  /** Some lines of a batch that was paid in parts: the number that the target states, then any. */
  private *someOfBatch(target: number, batch: number[], named: boolean): Generator<Family> {
    const lines = this.summands(target, batch);
    if (lines.length < 3 || !this.shareNumber(lines)) return;
    const family = { core: [], lines, named, whole: false };
    for (const count of this.countsIn(target))
      if (count < lines.length) yield { ...family, batch: { count } };
    yield { ...family, batch: { count: null } };
  }

  private shareNumber(lines: number[]): boolean {
    const [first, ...others] = lines.map(
      (line) => new Set(wordsOfRow(this.otherTexts, this.otherTexts.rowOf[line] as number)),
    );
    return [...(first ?? [])].some(
      (word) =>
        digitsIn(this.texts.spelling[word] as string) >= LEAST_FOUND &&
        others.every((words) => words.has(word)),
    );
  }

  /** Numbers in a text that may say how many lines its sum has: "9 ITEMS". */
  private countsIn(target: number): number[] {
    const words = wordsOfRow(this.ownTexts, this.ownTexts.rowOf[target] as number);
    return words
      .map((word) => this.texts.spelling[word] as string)
      .filter((word) => /^\d{1,2}$/.test(word))
      .map(Number)
      .filter((count) => count >= 2);
  }

  /**
   * Lines that share a rare word, one that the target says or another, and add up to the target.
   */
  private *ofOneWord(target: number, named: boolean): Generator<Family> {
    this.groups ??= new WordGroups(this.other, this.byWord, (line) =>
      this.dayNumber(this.other.value_date[line] as number),
    );
    const targetWords = wordsOfRow(this.ownTexts, this.ownTexts.rowOf[target] as number);
    const { before, after } = this.days;
    const day = this.dayNumber(this.own.value_date[target] as number);
    const tries = named ? targetWords.length : this.groups.countBetween(day - before, day + after);
    const { low, high } = reachOf(this.tolerance, this.own.amount[target] as number);
    for (const { word, lines } of this.groups.between(low, high))
      if (targetWords.includes(word) === named && lines.every((line) => this.reaches(target, line)))
        yield { core: [], lines, named, whole: true, tries };
  }

  /**
   * Lines of one counterparty: all of them, whole days, two days in a row, then some of all, the
   * nearest in time first.
   */
  private *ofOneName(target: number, lines: number[]): Generator<Family> {
    yield { core: [], lines, named: true, whole: true };
    const days = this.byDays(lines);
    const pairs = days.slice(1).map((day, at) => [...(days[at] as number[]), ...day]);
    for (const some of [...days, ...pairs])
      yield { core: [], lines: some, named: true, whole: true };
    yield* this.someOf(target, lines);
  }

  /** Some lines of one counterparty: invoices alone, then with the credit notes among them. */
  private *someOf(target: number, ofName: number[]): Generator<Family> {
    const lines = this.usualFirst(target, ofName);
    const invoices = this.summands(target, lines);
    yield { core: [], lines: invoices, named: true, whole: false };
    // What quotes an invoice quotes its credit notes, too.
    if (this.numbersOf(target).some((word) => this.linesCalled(word).length > 0)) return;
    const withCredits = this.withCredits(target, lines);
    if (withCredits.length > invoices.length)
      yield { core: [], lines: withCredits, named: true, whole: false };
  }

  /**
   * Lines of each counterparty whose whole name stands in the target's texts, else of those whose
   * name the texts cut off last.
   */
  private calledByName(target: number, near: number[]): number[][] {
    if (near.length < 2) return [];
    const words = new Set(wordsOfRow(this.ownTexts, this.ownTexts.rowOf[target] as number));
    const { counterparty } = this.other.hashes;
    const byName = grouped(near, (line) =>
      counterparty.has(line) ? counterparty.key(line) : null,
    );
    const called = byName.filter((lines) => {
      const row = this.otherTexts.rowOf[lines[0] as number] as number;
      const name = row < 0 ? [] : wordsOfField(this.otherTexts, row, COUNTERPARTY);
      return name.length > 0 && name.every((word) => words.has(word));
    });
    if (called.length > 0) return called;
    const texts = [this.own.text(target, "description"), this.own.text(target, "counterparty")];
    const cut = byName.map((lines) => {
      const name = this.other.text(lines[0] as number, "counterparty");
      const letters = texts.map((text) =>
        text !== null && name !== null ? lettersOfCutName(text, name) : 0,
      );
      return { lines, letters: Math.max(...letters) };
    });
    const most = Math.max(1, ...cut.map(({ letters }) => letters));
    const longest = cut.filter(({ letters }) => letters === most).map(({ lines }) => lines);
    return longest.length <= MOST_NAMES ? longest : [];
  }

  /** Lines of each counterparty whose first word stands before a number in the target's texts. */
  private calledByFirstWord(target: number, near: number[]): number[][] {
    if (near.length < 2) return [];
    const text = this.own.text(target, "description");
    const words = wordsBeforeNumbers(text ?? "");
    if (words.size === 0) return [];
    const { counterparty } = this.other.hashes;
    const called = grouped(near, (line) =>
      counterparty.has(line) ? counterparty.key(line) : null,
    ).filter(([line]) => {
      const name = this.other.text(line as number, "counterparty");
      return name !== null && words.has(firstWordOf(name));
    });
    return called.length <= MOST_NAMES ? called : [];
  }

  /** Lines that share the target's rarest words, one set for each of the few rarest. */
  private cores(target: number, named: number[]): number[][] {
    const words = this.rareWords(target);
    const cores: number[][] = [];
    for (const word of words.slice(0, 4)) {
      const having = this.linesWith(word);
      const core = named.filter((line) => having.includes(line));
      if (
        core.length > 0 &&
        !cores.some(
          (other) => other.length === core.length && other.every((line, at) => line === core[at]),
        )
      )
        cores.push(core);
    }
    return cores;
  }

  /** Lines of the counterparties of these, on their days: the nearest in time first. */
  private likeThem(core: number[], near: number[]): number[] {
    const { counterparty } = this.other.hashes;
    const names = new Set(
      core.filter((line) => counterparty.has(line)).map((line) => counterparty.key(line)),
    );
    const days = core.map((line) => this.other.value_date[line] as number);
    const [first, last] = [Math.min(...days) - 2, Math.max(...days) + 2];
    return near.filter((line) => {
      const day = this.other.value_date[line] as number;
      return (
        !core.includes(line) &&
        counterparty.has(line) &&
        names.has(counterparty.key(line)) &&
        day >= first &&
        day <= last
      );
    });
  }

  /** Lines of any counterparty on the days of `core`, because a line may lack its name. */
  private besideThem(core: number[], near: number[]): number[] {
    const days = new Set(core.map((line) => this.other.value_date[line] as number));
    return near.filter(
      (line) => !core.includes(line) && days.has(this.other.value_date[line] as number),
    );
  }

  /** Words of a line that few lines of the other side have, the rarest first. */
  private rareWords(target: number): number[] {
    if (this.asked.target !== target) this.asked = { target, rare: this.readRareWords(target) };
    return this.asked.rare;
  }

  private readRareWords(line: number): number[] {
    const texts = this.ownTexts;
    const row = texts.rowOf[line] as number;
    const words: number[] = [];
    if (row < 0) return words;
    for (
      let at = texts.start[row * FIELD_COUNT] as number;
      at < (texts.start[(row + 1) * FIELD_COUNT] as number);
      at++
    ) {
      const word = texts.words[at] as number;
      if (this.byWord.has(word) && !words.includes(word)) words.push(word);
    }
    return words.sort((a, b) => (this.rarity[b] as number) - (this.rarity[a] as number) || a - b);
  }

  /**
   * Numbers that few lines say: of all texts of a line of the target's side, or of its reference
   * alone.
   */
  numbersOf(line: number, field?: "reference"): number[] {
    const row = this.ownTexts.rowOf[line] as number;
    if (row < 0) return [];
    const words =
      field === undefined
        ? wordsOfRow(this.ownTexts, row)
        : wordsOfField(this.ownTexts, row, REFERENCE);
    return words.filter(
      (word) =>
        (this.texts.lineCount[word] as number) <= MOST_QUOTES &&
        digitsIn(this.texts.spelling[word] as string) >= LEAST_FOUND,
    );
  }

  /**
   * Lines of the other side whose reference has a number: of a year, which many numbers begin with,
   * those that have nothing else.
   */
  linesCalled(word: number): number[] {
    const isYear = isDate(this.texts.spelling[word] as string);
    const lines = this.linesWith(word);
    return listed(lines, 0, lines.length).filter((line) => {
      const row = this.otherTexts.rowOf[line] as number;
      const reference = wordsOfField(this.otherTexts, row, REFERENCE);
      return reference.includes(word) && (!isYear || reference.length === 1);
    });
  }

  linesWith(word: number): Int32Array {
    return this.byWord.of(word);
  }

  /** Those as far from the target as lines of sure matches are, then the others. */
  private usualFirst(target: number, lines: number[]): number[] {
    const days = this.usualDays;
    if (!days) return lines;
    const isUsual = (line: number) => this.isWithin(target, line, days);
    return [...lines.filter(isUsual), ...lines.filter((line) => !isUsual(line))];
  }

  private reaches(target: number, line: number): boolean {
    return (
      this.other.currency[line] === this.own.currency[target] &&
      this.isWithin(target, line, this.days)
    );
  }

  private isWithin(target: number, line: number, { before, after }: Days): boolean {
    const lag =
      this.dayNumber(this.other.value_date[line] as number) -
      this.dayNumber(this.own.value_date[target] as number);
    return lag >= -before && lag <= after;
  }

  /** Whether the window holds more lines than are looked at. */
  private isCrowded(target: number): boolean {
    if (this.crowd.target !== target)
      this.crowd = { target, is: this.countInWindow(target) > LOOKED_AT };
    return this.crowd.is;
  }

  private countInWindow(target: number): number {
    const day = this.dayNumber(this.own.value_date[target] as number);
    let count = 0;
    for (let on = day - this.days.before; on <= day + this.days.after; on++) {
      const range = this.dayStart.get(on);
      if (range) count += range.to - range.from;
    }
    return count;
  }

  /** Lines of the window with the target's currency, the nearest days first. */
  private inWindow(target: number, byName = false): number[] {
    const { before, after } = byName ? this.namedDays : this.days;
    const day = this.dayNumber(this.own.value_date[target] as number);
    const lines: number[] = [];
    for (let distance = 0; distance <= Math.max(before, after); distance++) {
      for (const on of distance === 0 ? [day] : [day - distance, day + distance]) {
        if (on < day - before || on > day + after) continue;
        const { from, to } = this.dayStart.get(on) ?? { from: 0, to: 0 };
        for (let at = from; at < to && lines.length < LOOKED_AT; at++) {
          const line = this.byDay[at] as number;
          if (this.other.currency[line] === this.own.currency[target]) lines.push(line);
        }
      }
    }
    return lines;
  }

  /** Those that share a rare word with the target. */
  private named(target: number): number[] {
    const words = this.rareWords(target);
    if (words.length === 0) return [];
    const sharing = new Map<number, number>();
    const lines: number[] = [];
    for (const word of words) {
      const having = this.linesWith(word);
      for (let at = 0; at < having.length; at++) {
        const line = having[at] as number;
        if (!this.reaches(target, line)) continue;
        const before = sharing.get(line);
        if (before === undefined) lines.push(line);
        sharing.set(line, (before ?? 0) + (this.rarity[word] as number));
      }
    }
    if (lines.length < 2) return lines;
    return lines
      .sort(
        (a, b) =>
          (sharing.get(b) as number) - (sharing.get(a) as number) || compareLines(this.other, a, b),
      )
      .slice(0, LOOKED_AT);
  }

  /** What may be part of the target: of its sign, and smaller. */
  private summands(target: number, lines: number[]): number[] {
    const amount = this.own.amount[target] as number;
    return lines.filter((line) => {
      const part = this.other.amount[line] as number;
      return part !== 0 && part > 0 === amount > 0 && Math.abs(part) < Math.abs(amount);
    });
  }

  /** The same with lines of the other sign, which lower what is paid. */
  private withCredits(target: number, lines: number[]): number[] {
    const amount = this.own.amount[target] as number;
    return lines.filter((line) => {
      const part = this.other.amount[line] as number;
      return part !== 0 && (part > 0 !== amount > 0 || Math.abs(part) !== Math.abs(amount));
    });
  }

  private byDays(lines: number[]): number[][] {
    return grouped(lines, (line) => this.other.value_date[line] as number);
  }

  /** Lines of one counterparty, of one reference, of one description. */
  private byField(
    lines: number[],
    fields: readonly ("counterparty" | "reference" | "description")[] = [
      "counterparty",
      "reference",
      "description",
    ],
  ): number[][] {
    return fields.flatMap((field) => {
      const hashes = this.other.hashes[field];
      return grouped(lines, (line) => (hashes.has(line) ? hashes.key(line) : null));
    });
  }
}

const COUNTERPARTY = FIELDS.indexOf("counterparty");
const REFERENCE = FIELDS.indexOf("reference");

function wordsOfRow(texts: SideTexts, row: number): number[] {
  if (row < 0) return [];
  const first = row * FIELD_COUNT;
  return listed(texts.words, texts.start[first] as number, texts.start[first + FIELD_COUNT]);
}

function wordsOfField(texts: SideTexts, row: number, field: number): number[] {
  const cell = row * FIELD_COUNT + field;
  return listed(texts.words, texts.start[cell] as number, texts.start[cell + 1]);
}

function byAmountOf(lines: Lines, those: Int32Array): Map<number, number[]> {
  const byAmount = new Map<number, number[]>();
  for (const line of those) {
    const amount = lines.amount[line] as number;
    const known = byAmount.get(amount);
    if (known) known.push(line);
    else byAmount.set(amount, [line]);
  }
  return byAmount;
}

/** Whether a line has a word of the other's counterparty. */
function callsByName(lines: Lines, line: number, others: Lines, other: number): boolean {
  const name = others.text(other, "counterparty");
  if (name === null) return false;
  const texts = [lines.text(line, "counterparty"), lines.text(line, "description")];
  return texts.some((text) => text !== null && saysName(text, name));
}

/** Groups of two or more. */
function grouped(lines: number[], keyOf: (line: number) => number | null): number[][] {
  const groups = new Map<number, number[]>();
  for (const line of lines) {
    const key = keyOf(line);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups.values()].filter((group) => group.length >= 2);
}
