/** Which counterparties of the other side a line's texts name, whole, cut off, or by a first word. */

import type { Lines } from "../lines.ts";
import { CutName, calls, firstWordOf, nameWords, wordsBeforeNumbers } from "./cut-names.ts";
import { grouped } from "./grouped.ts";
import type { SumWords } from "./sum-words.ts";

/** A cut name that begins more names than this says nothing of whose it is. */
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
   * Lines of each counterparty whose whole name stands in the target's texts, else of those whose
   * name the texts cut off last.
   */
  called(target: number, near: number[]): number[][] {
    if (near.length < 2) return [];
    const words = new Set(this.words.wordsOf(target));
    const byName = this.byName(near);
    const called = byName.filter(([line]) => {
      const name = this.words.nameOf(line as number);
      return name.length > 0 && name.every((word) => words.has(word));
    });
    if (called.length > 0) return called;
    const texts = [this.own.text(target, "description"), this.own.text(target, "counterparty")]
      .filter((text) => text !== null)
      .map(nameWords);
    const cut = byName.map((lines) => {
      const name = new CutName(this.other.text(lines[0] as number, "counterparty") ?? "");
      return { lines, letters: Math.max(0, ...texts.map((text) => name.lettersIn(text))) };
    });
    const max = Math.max(1, ...cut.map(({ letters }) => letters));
    const longest = cut.filter(({ letters }) => letters === max).map(({ lines }) => lines);
    return longest.length <= MAX_NAMES ? longest : [];
  }

  /** Lines of each counterparty whose first word stands before a number in the target's texts. */
  calledByFirstWord(target: number, near: number[]): number[][] {
    if (near.length < 2) return [];
    const words = wordsBeforeNumbers(this.own.text(target, "description") ?? "");
    if (words.size === 0) return [];
    const called = this.byName(near).filter(([line]) => {
      const name = this.other.text(line as number, "counterparty");
      return name !== null && words.has(firstWordOf(name));
    });
    return called.length <= MAX_NAMES ? called : [];
  }

  /** Lines of the other side that have a rare word of the target's counterparty. */
  mayCall(target: number): number[] {
    return this.words.linesWithAny(this.words.ownNameOf(target));
  }

  /** Those of some lines whose texts have the target's counterparty, whole or cut off. */
  callersOf(target: number, lines: number[]): number[] {
    const written = this.own.text(target, "counterparty");
    if (written === null) return [];
    const name = new CutName(written);
    return lines.filter((line) => calls(this.other, line, name));
  }

  private byName(lines: number[]): number[][] {
    const { counterparty } = this.other.hashes;
    return grouped(lines, (line) => (counterparty.has(line) ? counterparty.key(line) : null));
  }
}
