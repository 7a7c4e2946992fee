/** Finds the lines that share a target's rare words, the core of its sum, and lines like them. */
import type { Lines } from "../lines.ts";
import { compareLines } from "../prepare/order.ts";
import { MAX_EXAMINED, type SumWindow } from "./sum-window.ts";
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

  /** The lines that share a rare word with the target, those with the rarest words first. */
  named(target: number): number[] {
    const words = this.words.rareWords(target);
    if (words.length === 0) return [];
    const sharedRarity = new Map<number, number>();
    const lines: number[] = [];
    for (const word of words) {
      const withWord = this.words.linesWith(word);
      for (let at = 0; at < withWord.length; at++) {
        const line = withWord[at] as number;
        if (!this.window.reaches(target, line)) continue;
        const before = sharedRarity.get(line);
        if (before === undefined) lines.push(line);
        sharedRarity.set(line, (before ?? 0) + (this.words.rarity[word] as number));
      }
    }
    if (lines.length < 2) return lines;
    return lines
      .sort(
        (a, b) =>
          (sharedRarity.get(b) as number) - (sharedRarity.get(a) as number) ||
          compareLines(this.other, a, b),
      )
      .slice(0, MAX_EXAMINED);
  }

  /** For each of the four rarest words of the target, the lines that share it. */
  coresOf(target: number, named: number[]): number[][] {
    const words = this.words.rareWords(target);
    const cores: number[][] = [];
    for (const word of words.slice(0, 4)) {
      const withWord = this.words.linesWith(word);
      const core = named.filter((line) => withWord.includes(line));
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

  /** Other lines of the counterparties of `core`, within two days of it, nearest in time first. */
  ofSameCounterparty(core: number[], near: number[]): number[] {
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

  /** Other lines on the days of `core`, of any counterparty, because a line may lack its name. */
  onSameDays(core: number[], near: number[]): number[] {
    const days = new Set(core.map((line) => this.other.value_date[line] as number));
    return near.filter(
      (line) => !core.includes(line) && days.has(this.other.value_date[line] as number),
    );
  }
}
