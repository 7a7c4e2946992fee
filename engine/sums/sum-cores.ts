/** Lines that share a line's rare words, which its sum is built around, and lines like them. */
import type { Lines } from "../lines.ts";
import { compareLines } from "../prepare/order.ts";
import { LOOKED_AT, type SumWindow } from "./sum-window.ts";
import type { SumWords } from "./sum-words.ts";

export class SumCores {
  private readonly other: Lines;
  private readonly words: SumWords;
  private readonly window: SumWindow;

  constructor(other: Lines, words: SumWords, window: SumWindow) {
    this.other = other;
    this.words = words;
    this.window = window;
  }

  /** Those that share a rare word with the target. */
  named(target: number): number[] {
    const words = this.words.rareWords(target);
    if (words.length === 0) return [];
    const sharing = new Map<number, number>();
    const lines: number[] = [];
    for (const word of words) {
      const having = this.words.linesWith(word);
      for (let at = 0; at < having.length; at++) {
        const line = having[at] as number;
        if (!this.window.reaches(target, line)) continue;
        const before = sharing.get(line);
        if (before === undefined) lines.push(line);
        sharing.set(line, (before ?? 0) + (this.words.rarity[word] as number));
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

  /** Lines that share the target's rarest words, one set for each of the few rarest. */
  of(target: number, named: number[]): number[][] {
    const words = this.words.rareWords(target);
    const cores: number[][] = [];
    for (const word of words.slice(0, 4)) {
      const having = this.words.linesWith(word);
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
  likeThem(core: number[], near: number[]): number[] {
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
  besideThem(core: number[], near: number[]): number[] {
    const days = new Set(core.map((line) => this.other.value_date[line] as number));
    return near.filter(
      (line) => !core.includes(line) && days.has(this.other.value_date[line] as number),
    );
  }
}
