/**
 * The pool in which the summands of a line are searched: it yields families of lines of the other
 * side, the most specific family first.
 */

import type { Days } from "../candidates/window.ts";
import type { Lines } from "../lines.ts";
import { type AmountTolerance, isWithin, reachOf, toleranceOf } from "../prepare/amounts.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";
import { shareName } from "./cut-names.ts";
import { NamedEquals } from "./named-equals.ts";
import { LastStretches, stretchesOf, stretchesOfKinds } from "./stretches.ts";
import { SumCores } from "./sum-cores.ts";
import { SumNames } from "./sum-names.ts";
import { SumParts } from "./sum-parts.ts";
import { SumWindow } from "./sum-window.ts";
import { SumWords } from "./sum-words.ts";
import { WordGroups } from "./word-groups.ts";

/**
 * All lines of `core` are part of the sum. Of `lines`, all are if `whole`, otherwise any of them,
 * or at most `max`. `tries` is the number of families that were examined to find this one.
 */
export type Family = {
  core: number[];
  lines: number[];
  named: boolean;
  whole: boolean;
  max?: number;
  tries?: number;
  /**
   * Batches may be larger than other sums; `count` is set where the target states the number of
   * lines.
   */
  batch?: { count: number | null };
  /** Whether the target's text has only the beginning of the name, which other names may share. */
  isGuess?: boolean;
};

/** The maximum number of parts in which one item is paid, if only its name connects them. */
const MAX_PARTS = 4;

/** The pool for the targets of each side. */
export type SumPools = Record<Side, SumPool>;

export class SumPool {
  readonly other: Lines;
  readonly words: SumWords;
  private readonly state: RunState;
  private readonly own: Lines;
  private readonly window: SumWindow;
  private readonly names: SumNames;
  private readonly cores: SumCores;
  private readonly parts: SumParts;
  private readonly tolerance: AmountTolerance;
  /** Open lines of the other side, by day. */
  private readonly byDay: Int32Array;
  private readonly groups: WordGroups;
  private readonly namedEquals: NamedEquals;
  private readonly stretches = new LastStretches();

  constructor(
    state: RunState,
    rule: Rule,
    side: Side,
    dayNumber: (day: number) => number,
    reach: Days,
  ) {
    this.state = state;
    this.own = state[side];
    this.other = state[opposite(side)];
    this.tolerance = toleranceOf(rule);
    this.byDay = state.partsOfSums(this.other.side);
    this.window = new SumWindow(this.own, this.other, this.byDay, { rule, dayNumber, reach });
    this.namedEquals = new NamedEquals(this.own, this.other, this.byDay);
    this.words = new SumWords(state.texts(), side, this.byDay);
    this.groups = new WordGroups(this.other, this.words.index, (line) => this.window.dayOf(line));
    this.names = new SumNames(this.own, this.other, this.words);
    this.cores = new SumCores(this.other, this.words, this.window);
    this.parts = new SumParts(this.own, this.other);
  }

  /** Whether the other side has a line of about this amount in the window. */
  hasEqual(target: number): boolean {
    const amount = this.own.amount[target] as number;
    if (this.window.isCrowded(target)) return false;
    return this.window
      .around(target)
      .some((line) => isWithin(this.tolerance, amount, this.other.amount[line] as number));
  }

  /** Whether a line of the other side in the window has the target's amount and its name. */
  hasNamedEqual(target: number): boolean {
    return this.namedEquals.has(target, (line) => this.window.reaches(target, line));
  }

  /** Whether a target has one of these words, and the word is rare. */
  hasAnyWord(target: number, words: ReadonlySet<number>): boolean {
    return this.words.hasAnyWord(target, words);
  }

  /** Whether the day alone makes one of these lines a candidate for the target's sum. */
  reachesAny(target: number, lines: readonly number[]): boolean {
    return (
      !this.window.isCrowded(target) &&
      lines.some((line) => this.window.reachesByName(target, line))
    );
  }

  /** Whether there is nothing to search: the target has no rare word, and its window is crowded. */
  hasNoSearchSpace(target: number): boolean {
    return !this.words.hasRareWord(target) && this.window.isCrowded(target);
  }

  /**
   * @param inWiderWindow whether lines of a name in the target's texts are also searched in the
   *   wider window, `namedDays`.
   */
  *families(target: number, inWiderWindow: boolean): Generator<Family> {
    const named = this.cores.named(target);
    // A crowded window is cut off at some line, so a sum of lines in it may well be chance.
    const crowded = this.window.isCrowded(target);
    const near = crowded ? [] : this.window.around(target);
    if (named.length >= (crowded ? 2 : 1)) {
      if (named.length >= 2) {
        yield { core: [], lines: named, named: true, whole: true };
        for (const lines of this.parts.byField(named))
          yield { core: [], lines, named: true, whole: true };
      }
      for (const core of this.cores.coresOf(target, named)) {
        if (core.length >= 2) {
          yield { core: [], lines: core, named: true, whole: true };
          yield* this.someOfBatch(target, core, true);
        }
        const fill = this.parts.summands(
          target,
          this.cores.ofSameCounterparty(core, crowded ? named : near),
        );
        if (fill.length > 0) yield { core, lines: fill, named: true, whole: false };
        const onTheSameDay = this.parts.summands(target, this.cores.onSameDays(core, near));
        if (onTheSameDay.length > 0)
          yield { core, lines: onTheSameDay, named: true, whole: false, max: 1 };
      }
      yield { core: [], lines: this.parts.summands(target, named), named: true, whole: false };
    }
    yield* this.ofSharedWord(target, true);
    const nameGroups = this.names.byName(target, crowded ? named : near);
    for (const lines of nameGroups) yield* this.ofOneName(target, lines);
    if (nameGroups.length === 0)
      for (const lines of this.names.byFirstWord(target, crowded ? named : near))
        for (const family of this.ofOneName(target, lines)) yield { ...family, isGuess: true };
    if (!crowded && inWiderWindow)
      for (const lines of this.names.byName(target, this.window.around(target, true)))
        if (!nameGroups.some(({ length }) => length === lines.length))
          yield* this.someOf(target, lines);
    if (inWiderWindow) yield* this.withTargetName(target);
    if (crowded) return;
    for (const lines of this.parts.byDays(near))
      yield { core: [], lines, named: false, whole: true };
    for (const lines of this.parts.byField(near)) {
      yield { core: [], lines, named: false, whole: true };
      for (const sameDay of this.parts.byDays(lines))
        if (sameDay.length < lines.length)
          yield { core: [], lines: sameDay, named: false, whole: true };
    }
    yield* this.ofSharedWord(target, false);
    for (const lines of this.parts.byField(near, ["description"])) {
      yield* this.someOfBatch(target, lines, false);
      yield* this.ofStatedCount(target, lines);
    }
    for (const lines of this.parts.byField(near)) {
      for (const sameDay of this.parts.byDays(lines))
        if (sameDay.length < lines.length)
          yield {
            core: [],
            lines: this.parts.summands(target, sameDay),
            named: false,
            whole: false,
          };
      yield { core: [], lines: this.parts.summands(target, lines), named: false, whole: false };
    }
    yield { core: [], lines: this.parts.summands(target, near), named: false, whole: false };
    yield* this.ofFrequentWord(target, near);
    yield* this.ofConsecutiveDays(target, near);
  }

  /**
   * Yields lines that the target may pay together: all lines whose references it quotes, or all
   * lines of a counterparty that it names, then some of these.
   */
  *payable(target: number): Generator<{ lines: number[]; whole: boolean; isQuoted?: true }> {
    const quoted = new Set([
      ...this.words.numbersOf(target).flatMap((word) => this.words.linesWithReference(word)),
      ...this.namedByNumber(target),
    ]);
    const lines = this.parts
      .payable(target, [...quoted])
      .filter((line) => this.window.reachesByName(target, line));
    if (lines.length >= 2) yield { lines, whole: true, isQuoted: true };
    if (lines.length > 0 || this.window.isCrowded(target)) return;
    let previousCount = 0;
    for (const byName of [false, true])
      for (const sameName of this.names.byName(target, this.window.around(target, byName))) {
        const invoices = this.window.usualFirst(target, this.parts.payable(target, sameName));
        if (invoices.length === previousCount) continue;
        previousCount = invoices.length;
        yield { lines: invoices, whole: true };
        yield { lines: invoices, whole: false };
      }
  }

  /**
   * Open lines whose number the target has in another form: without its letters, or with a check
   * digit. If that digit may be chance, both lines must also share a name.
   */
  private namedByNumber(target: number): number[] {
    const { state, own, other } = this;
    const named = state.named?.of(own.side, target) ?? [];
    return named.flatMap(({ line, isUncertain }) =>
      state.isOpen(other.side, line) && (!isUncertain || shareName(own, target, other, line))
        ? line
        : [],
    );
  }

  /** Some lines of a batch that was paid in parts: the stated number of lines, then any number. */
  private *someOfBatch(target: number, batch: number[], named: boolean): Generator<Family> {
    const lines = this.parts.summands(target, batch);
    if (lines.length < 3 || !this.words.shareNumber(lines)) return;
    const family = { core: [], lines, named, whole: false };
    for (const count of this.words.countsIn(target))
      if (count < lines.length) yield { ...family, batch: { count } };
    yield { ...family, batch: { count: null } };
  }

  /**
   * Lines of one kind, as many as the target states: of one day, of two consecutive days, of any.
   */
  private *ofStatedCount(target: number, sameKind: number[]): Generator<Family> {
    const counts = this.words.statedCountsIn(target);
    if (counts.length === 0) return;
    const lines = this.parts.summands(target, sameKind);
    for (const some of [...withNext(this.parts.byDays(lines)), lines])
      for (const count of counts)
        if (count <= some.length)
          yield {
            core: [],
            lines: some,
            named: false,
            whole: count === some.length,
            batch: { count },
          };
  }

  /**
   * Lines with a rare word of the target's name. If all of its words are frequent, the lines near
   * it that have the first word.
   */
  private withWordOfName(target: number): number[] {
    const rare = this.names.withWordOfName(target);
    if (rare.length > 0 || this.window.isCrowded(target)) return rare;
    // An invoice is paid in parts; a purchase has no number.
    if (!this.own.hashes.reference.has(target)) return rare;
    const [first] = this.words.targetCounterpartyOf(target);
    if (first === undefined || this.words.index.has(first)) return [];
    return this.window.around(target, true).filter((line) => this.words.hasWord(line, first));
  }

  /** Lines that have the target's name: what is due may be paid in parts, some of them late. */
  private *withTargetName(target: number): Generator<Family> {
    const amount = Math.abs(this.own.amount[target] as number);
    const suffice = (parts: number[]) =>
      parts.length >= 2 &&
      parts.reduce((sum, line) => sum + Math.abs(this.other.amount[line] as number), 0) >= amount;
    const parts = this.parts
      .summands(target, this.withWordOfName(target))
      .filter((line) => this.window.reachesByName(target, line));
    if (!suffice(parts)) return;
    const lines = this.names.withNameOf(target, parts);
    if (!suffice(lines)) return;
    yield { core: [], lines, named: true, whole: true };
    yield { core: [], lines, named: true, whole: false, max: MAX_PARTS };
  }

  /**
   * All lines of one day or of consecutive days that have a frequent word of the target, such as a
   * processor's name. Its sales and its fees differ in all other texts.
   */
  private *ofFrequentWord(target: number, near: number[]): Generator<Family> {
    const { low, high } = reachOf(this.tolerance, this.own.amount[target] as number);
    const { description } = this.other.hashes;
    const kindOf = (line: number) => (description.has(line) ? description.key(line) : 0);
    for (const word of this.words.frequentWords(target)) {
      const withWord = near.filter((line) => this.words.hasWord(line, word));
      if (withWord.length < 3 || withWord.length === near.length) continue;
      const days = this.parts.byDays(withWord);
      const stretches = stretchesOf(this.other, withWord, kindOf);
      const family = { core: [], named: false, whole: true, tries: days.length + stretches.length };
      for (const lines of days) yield { ...family, lines };
      for (const { lines, total } of stretches)
        if (total >= low && total <= high) yield { ...family, lines: lines() };
    }
  }

  /**
   * Lines of several consecutive days: of one name, of one description, or of all or some kinds
   * without a name, such as the charges, refunds and fees of a payout.
   */
  private *ofConsecutiveDays(target: number, near: number[]): Generator<Family> {
    const { low, high } = reachOf(this.tolerance, this.own.amount[target] as number);
    const { other } = this;
    const key = `${this.window.targetDay(target)} ${this.own.currency[target]}`;
    const stretches = this.stretches.around(key, () => [
      ...stretchesOfKinds(other, near),
      ...this.parts
        .byField(near, ["counterparty", "description"])
        .flatMap((lines) => stretchesOf(other, lines, () => 0)),
    ]);
    for (const { lines, total } of stretches)
      if (total >= low && total <= high)
        yield { core: [], lines: lines(), named: false, whole: true, tries: stretches.length };
  }

  /**
   * Lines that share a rare word and add up to the target. If `named`, the target has that word,
   * too; otherwise it hasn't.
   */
  private *ofSharedWord(target: number, named: boolean): Generator<Family> {
    const targetWords = this.words.wordsOf(target);
    const { low, high } = reachOf(this.tolerance, this.own.amount[target] as number);
    const reaches = (line: number) => this.window.reaches(target, line);
    const family = { core: [], named, whole: true };
    if (named) {
      for (const lines of this.groups.ofWords(targetWords, low, high))
        if (lines.every(reaches)) yield { ...family, lines, tries: targetWords.length };
      return;
    }
    const { before, after } = this.window.days;
    const day = this.window.targetDay(target);
    const tries = this.groups.countBetween(day - before, day + after);
    for (const { word, lines } of this.groups.between(low, high))
      if (!targetWords.includes(word) && lines.every(reaches)) yield { ...family, lines, tries };
  }

  /**
   * Lines of one counterparty: all of them, whole days, two consecutive days, then some of all
   * lines, nearest in time first.
   */
  private *ofOneName(target: number, lines: number[]): Generator<Family> {
    yield { core: [], lines, named: true, whole: true };
    const days = this.parts.byDays(lines);
    const pairs = days.slice(1).map((day, at) => [...(days[at] as number[]), ...day]);
    for (const some of [...days, ...pairs])
      yield { core: [], lines: some, named: true, whole: true };
    yield* this.someOf(target, lines);
  }

  /** Some lines of one counterparty: invoices alone, then with the credit notes among them. */
  private *someOf(target: number, sameName: number[]): Generator<Family> {
    const lines = this.window.usualFirst(target, sameName);
    const invoices = this.parts.summands(target, lines);
    yield { core: [], lines: invoices, named: true, whole: false };
    // A target that quotes an invoice quotes its credit notes, too.
    if (this.words.numbersOf(target).some((word) => this.words.linesWithReference(word).length > 0))
      return;
    const withCredits = this.parts.withCredits(target, lines);
    if (withCredits.length > invoices.length)
      yield { core: [], lines: withCredits, named: true, whole: false };
  }
}

/** Each group, and each group together with the next one. */
function withNext(groups: number[][]): number[][] {
  const pairs = groups.slice(1).map((group, at) => [...(groups[at] as number[]), ...group]);
  return [...groups, ...pairs];
}
