/**
 * Reversals that quote no number: the text says that a payment was reversed, and has the name of a
 * line of the opposite amount from a few days before.
 */
import type { Lines } from "../lines.ts";
import { wordsOf } from "../prepare/text.ts";
import { hasReversalMark, withoutMarks } from "./reversal-names.ts";

/** The number of lines in which words are counted, spread evenly over all lines. */
const SAMPLE_SIZE = 2000;
/** A word in more lines and in a larger share of the sample is the bank's wording, not a name. */
const COMMON = { lines: 3, share: 0.08 };
const MIN_LETTERS = 3;
/** If more lines have the opposite amount, none of them is identified by it. */
const MAX_OPPOSITES = 20;

const NO_LINES: ReadonlySet<number> = new Set();

export class PartiesOfReversals {
  private readonly lines: Lines;
  private readonly open: Int32Array;
  private readonly opposed: Int32Array;
  private byAmount: Map<number, number[]> | null = null;
  /** By word: the lines of the sample that have it. */
  private sample: Map<string, Set<number>> | null = null;
  private readonly known = new Map<number, string[]>();

  /**
   * @param open the open lines of the side, in canonical order.
   * @param opposed the lines of `open` for which another has the opposite amount.
   */
  constructor(lines: Lines, open: Int32Array, opposed: Int32Array) {
    this.lines = lines;
    this.open = open;
    this.opposed = opposed;
  }

  /** Lines of the opposite amount; empty if there are more than `MAX_OPPOSITES`. */
  oppositesOf(reversal: number): number[] {
    const { amount, currency } = this.lines;
    this.byAmount ??= Map.groupBy(this.opposed, (line) => amount[line] as number);
    const opposites = this.byAmount.get(-(amount[reversal] as number)) ?? [];
    return opposites.length > MAX_OPPOSITES
      ? []
      : opposites.filter((line) => currency[line] === currency[reversal]);
  }

  /** The name that a reversal shares with the line that it may reverse; empty if there is none. */
  sharedName(booked: number, reversal: number): string {
    if (hasReversalMark(this.wordsOf(booked))) return "";
    const bookedWords = new Set(this.wordsOf(booked));
    const shared = withoutMarks(this.wordsOf(reversal)).filter(
      (word) => bookedWords.has(word) && word.length >= MIN_LETTERS && !/\d/.test(word),
    );
    const names = shared.filter((word) => this.areRare([word]));
    if (names.length > 0) return names.join(" ");
    return shared.length > 1 && this.areRare(shared) ? shared.join(" ") : "";
  }

  /** Whether few lines have all of these words. Many may have each word of a frequent payer. */
  private areRare(words: readonly string[]): boolean {
    this.sample ??= this.readSample();
    const [first = NO_LINES, ...others] = words.map((word) => this.sample?.get(word) ?? NO_LINES);
    const withAll = [...first].filter((line) => others.every((lines) => lines.has(line)));
    const read = Math.min(SAMPLE_SIZE, this.open.length);
    return withAll.length <= Math.max(COMMON.lines, COMMON.share * read);
  }

  private readSample(): Map<string, Set<number>> {
    const sample = new Map<string, Set<number>>();
    const step = Math.max(1, Math.ceil(this.open.length / SAMPLE_SIZE));
    for (let at = 0; at < this.open.length; at += step) {
      const line = this.open[at] as number;
      for (const word of readWords(this.lines, line)) {
        const known = sample.get(word);
        if (known) known.add(line);
        else sample.set(word, new Set([line]));
      }
    }
    return sample;
  }

  private wordsOf(line: number): string[] {
    const words = this.known.get(line) ?? readWords(this.lines, line);
    this.known.set(line, words);
    return words;
  }
}

function readWords(lines: Lines, line: number): string[] {
  return (["counterparty", "description"] as const).flatMap((field) =>
    wordsOf(lines.text(line, field) ?? "", "counterparty"),
  );
}
