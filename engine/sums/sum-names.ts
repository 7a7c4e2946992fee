/** Finds the counterparties whose full name, cut name or first word is in a line's texts. */

import type { Lines } from "../lines.ts";
import { CutName, firstWordOf, hasName, nameWords, wordsBeforeNumbers } from "./cut-names.ts";
import { grouped } from "./grouped.ts";
import type { SumWords } from "./sum-words.ts";

/** A cut name that begins more names than this identifies none of them. */
const MAX_NAMES = 3;

export class SumNames {
  private readonly own: Lines;
  private readonly other: Lines;
  private readonly words: SumWords;

  constructor(own: Lines, other: Lines, words: SumWords) {
    this.own = own;
    this.other = other;
    this.words = words;
  }

  /**
   * The lines of each counterparty whose full name is in the target's texts; if there is none, of
   * those whose cut name has the most letters there.
   */
  byName(target: number, near: number[]): number[][] {
    if (near.length < 2) return [];
    const words = new Set(this.words.wordsOf(target));
    const groups = this.byCounterparty(near);
    const named = groups.filter(([line]) => {
      const name = this.words.counterpartyOf(line as number);
      return name.length > 0 && name.every((word) => words.has(word));
    });
    if (named.length > 0) return named;
    const texts = [this.own.text(target, "description"), this.own.text(target, "counterparty")]
      .filter((text) => text !== null)
      .map(nameWords);
    const cut = groups.map((lines) => {
      const name = new CutName(this.other.text(lines[0] as number, "counterparty") ?? "");
      return { lines, letters: Math.max(0, ...texts.map((text) => name.lettersIn(text))) };
    });
    const max = Math.max(1, ...cut.map(({ letters }) => letters));
    const longest = cut.filter(({ letters }) => letters === max).map(({ lines }) => lines);
    return longest.length <= MAX_NAMES ? longest : [];
  }

  /** The lines of each counterparty whose first word precedes a number in the target's text. */
  byFirstWord(target: number, near: number[]): number[][] {
    if (near.length < 2) return [];
    const words = wordsBeforeNumbers(this.own.text(target, "description") ?? "");
    if (words.size === 0) return [];
    const named = this.byCounterparty(near).filter(([line]) => {
      const name = this.other.text(line as number, "counterparty");
      return name !== null && words.has(firstWordOf(name));
    });
    return named.length <= MAX_NAMES ? named : [];
  }

  /** Lines of the other side that have a rare word of the target's counterparty. */
  withWordOfName(target: number): number[] {
    return this.words.linesWithAny(this.words.targetCounterpartyOf(target));
  }

  /** The lines whose texts have the target's counterparty, whole or cut off. */
  withNameOf(target: number, lines: number[]): number[] {
    const counterparty = this.own.text(target, "counterparty");
    if (counterparty === null) return [];
    const name = new CutName(counterparty);
    return lines.filter((line) => hasName(this.other, line, name));
  }

  private byCounterparty(lines: number[]): number[][] {
    const { counterparty } = this.other.hashes;
    return grouped(lines, (line) => (counterparty.has(line) ? counterparty.key(line) : null));
  }
}
