/**
 * Reversals that name nobody's number: a text that says that something came back, with the name
 * that a line of the opposite amount has, a few days before.
 */
import type { Lines } from "../lines.ts";
import { wordsOf } from "../prepare/text.ts";
import { namesReversal, withoutMarks } from "./reversal-names.ts";

/** Lines in which words are counted, spread evenly over all. */
const SAMPLE = 2000;
/** A word of more lines than this, and of more than this share of them, is the bank's own. */
const COMMON = { lines: 3, share: 0.08 };
const MIN_LETTERS = 3;
/** With more lines of an amount none is the one. */
const LOOKED_AT = 20;

const NO_LINES: ReadonlySet<number> = new Set();

export class PartiesOfReversals {
  private readonly lines: Lines;
  private readonly open: Int32Array;
  private readonly opposed: Int32Array;
  private byAmount: Map<number, number[]> | null = null;
  /** Lines of the sample by their words. */
  private sample: Map<string, Set<number>> | null = null;
  private readonly known = new Map<number, string[]>();

  /**
   * @param open the lines of the side, in canonical order.
   * @param opposed those of them whose opposite amount another has.
   */
  constructor(lines: Lines, open: Int32Array, opposed: Int32Array) {
    this.lines = lines;
    this.open = open;
    this.opposed = opposed;
  }

  /** Lines of the opposite amount; none if there are many. */
  equalsOf(reversal: number): number[] {
    const { amount, currency } = this.lines;
    this.byAmount ??= Map.groupBy(this.opposed, (line) => amount[line] as number);
    const equals = this.byAmount.get(-(amount[reversal] as number)) ?? [];
    return equals.length > LOOKED_AT
      ? []
      : equals.filter((line) => currency[line] === currency[reversal]);
  }

  /** The words of a name that a reversal and the line that it may reverse have in common. */
  sharedName(booked: number, reversal: number): string {
    if (namesReversal(this.wordsOf(booked))) return "";
    const theirs = new Set(this.wordsOf(booked));
    const shared = withoutMarks(this.wordsOf(reversal)).filter(
      (word) => theirs.has(word) && word.length >= MIN_LETTERS && !/\d/.test(word),
    );
    const names = shared.filter((word) => this.areRare([word]));
    if (names.length > 0) return names.join(" ");
    return shared.length > 1 && this.areRare(shared) ? shared.join(" ") : "";
  }

  /** Whether few lines have all of these words: each of a frequent payer's name many may have. */
  private areRare(words: readonly string[]): boolean {
    this.sample ??= this.readSample();
    const [first = NO_LINES, ...others] = words.map((word) => this.sample?.get(word) ?? NO_LINES);
    const having = [...first].filter((line) => others.every((of) => of.has(line)));
    const read = Math.min(SAMPLE, this.open.length);
    return having.length <= Math.max(COMMON.lines, COMMON.share * read);
  }

  private readSample(): Map<string, Set<number>> {
    const sample = new Map<string, Set<number>>();
    const step = Math.max(1, Math.ceil(this.open.length / SAMPLE));
    for (let at = 0; at < this.open.length; at += step) {
      const line = this.open[at] as number;
      for (const word of readWords(this.lines, line)) {
        const having = sample.get(word);
        if (having) having.add(line);
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
