/** The words of a target and of the lines that its sum may have, and which are significant. */

import { digitsIn, isDate, MIN_FOUND_DIGITS } from "../prepare/identifiers.ts";
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";
import { toList } from "../prepare/to-list.ts";
import { WordIndex } from "../prepare/word-index.ts";
import { opposite, type Side } from "../side.ts";

/** A word that more lines have hardly shows which lines belong together. */
const MAX_RARE_LINES = 60;
/** A number that more lines have belongs to a customer, a batch or a month. */
const MAX_QUOTES = 4;
const COUNTERPARTY = FIELDS.indexOf("counterparty");
const REFERENCE = FIELDS.indexOf("reference");

/** Words for the items that a bank counts in a deposit. */
const COUNTED =
  /^(ITEMS?|CHECKS?|CHEQUES?|CHKS?|TXNS?|TRANSACTIONS?|PAYMENTS?|RECEIPTS?|SLIPS?|POSTEN|STUECK|STUCK|STK|PCS|PIECES)$/;

function isCount(word: string): boolean {
  return /^\d{1,2}$/.test(word) && Number(word) >= 2;
}

export class SumWords {
  readonly rarity: Float64Array;
  /** Lines of the other side by rare word, in their order. */
  readonly index: WordIndex;
  private readonly texts: Texts;
  private readonly ownTexts: SideTexts;
  private readonly otherTexts: SideTexts;
  /** The rare words of the last target. */
  private last: { target: number; rare: number[] } = { target: -1, rare: [] };

  /** @param lines the lines of the other side that a sum may have. */
  constructor(texts: Texts, side: Side, lines: Int32Array) {
    this.texts = texts;
    this.rarity = texts.rarity;
    this.ownTexts = texts[side];
    this.otherTexts = texts[opposite(side)];
    this.index = new WordIndex(
      this.otherTexts,
      texts.spelling.length,
      lines.length,
      (at) => this.otherTexts.rowOf[lines[at] as number] as number,
      (word) => (texts.lineCount[word] as number) <= MAX_RARE_LINES,
    );
    const { item } = this.index;
    for (let at = 0; at < item.length; at++) item[at] = lines[item[at] as number] as number;
  }

  wordsOf(target: number): number[] {
    return wordsOfRow(this.ownTexts, this.ownTexts.rowOf[target] as number);
  }

  /** The words of the counterparty of a line of the other side. */
  counterpartyOf(line: number): number[] {
    const row = this.otherTexts.rowOf[line] as number;
    return row < 0 ? [] : wordsOfField(this.otherTexts, row, COUNTERPARTY);
  }

  /** The words of a target's counterparty. */
  targetCounterpartyOf(target: number): number[] {
    const row = this.ownTexts.rowOf[target] as number;
    return row < 0 ? [] : wordsOfField(this.ownTexts, row, COUNTERPARTY);
  }

  /** Whether a line of the other side has a word. */
  hasWord(line: number, word: number): boolean {
    const { rowOf, start, words } = this.otherTexts;
    const cell = (rowOf[line] as number) * FIELD_COUNT;
    if (cell < 0) return false;
    for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++)
      if (words[at] === word) return true;
    return false;
  }

  /** Lines of the other side that have one of these words, in their order. */
  linesWithAny(words: readonly number[]): number[] {
    const lines = new Set<number>();
    for (const word of words) for (const line of this.linesWith(word)) lines.add(line);
    return [...lines];
  }

  /** Whether a target has a rare word that lines of the other side have, too. */
  hasRareWord(target: number): boolean {
    const { rowOf, start, words } = this.ownTexts;
    const cell = (rowOf[target] as number) * FIELD_COUNT;
    if (cell < 0) return false;
    for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++)
      if (this.index.has(words[at] as number)) return true;
    return false;
  }

  /** Whether a target has one of these words, and the word is rare. */
  hasAnyWord(target: number, wanted: ReadonlySet<number>): boolean {
    const { rowOf, start, words } = this.ownTexts;
    const cell = (rowOf[target] as number) * FIELD_COUNT;
    if (cell < 0) return false;
    for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++) {
      const word = words[at] as number;
      if (wanted.has(word) && (this.texts.lineCount[word] as number) <= MAX_RARE_LINES) return true;
    }
    return false;
  }

  /** Whether lines of the other side have a number in common. */
  shareNumber(lines: number[]): boolean {
    const [first, ...others] = lines.map(
      (line) => new Set(wordsOfRow(this.otherTexts, this.otherTexts.rowOf[line] as number)),
    );
    return [...(first ?? [])].some(
      (word) =>
        digitsIn(this.texts.spelling[word] as string) >= MIN_FOUND_DIGITS &&
        others.every((words) => words.has(word)),
    );
  }

  /** Numbers in the target's texts that may state the number of lines of its sum: "9 ITEMS". */
  countsIn(target: number): number[] {
    return this.spellingsOf(target).filter(isCount).map(Number);
  }

  /** Like `countsIn`, only numbers before a word for counted items, which can be nothing else. */
  statedCountsIn(target: number): number[] {
    const words = this.spellingsOf(target);
    return words
      .filter((word, at) => isCount(word) && COUNTED.test(words[at + 1] ?? ""))
      .map(Number);
  }

  private spellingsOf(target: number): string[] {
    return this.wordsOf(target).map((word) => this.texts.spelling[word] as string);
  }

  /** Words of a line that few lines of the other side have, the rarest first. */
  rareWords(target: number): number[] {
    if (this.last.target !== target) this.last = { target, rare: this.readRareWords(target) };
    return this.last.rare;
  }

  /** The words of a target without digits that more than `MAX_RARE_LINES` lines have. */
  frequentWords(target: number): Set<number> {
    return new Set(
      this.wordsOf(target).filter(
        (word) =>
          !this.index.has(word) &&
          (this.texts.lineCount[word] as number) > MAX_RARE_LINES &&
          digitsIn(this.texts.spelling[word] as string) === 0,
      ),
    );
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
      if (this.index.has(word) && !words.includes(word)) words.push(word);
    }
    return words.sort((a, b) => (this.rarity[b] as number) - (this.rarity[a] as number) || a - b);
  }

  /**
   * The numbers of a line of the target's side that at most `MAX_QUOTES` lines have: in all of its
   * texts, or in its reference alone.
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
        (this.texts.lineCount[word] as number) <= MAX_QUOTES &&
        digitsIn(this.texts.spelling[word] as string) >= MIN_FOUND_DIGITS,
    );
  }

  /**
   * Lines of the other side whose reference has this number. Many references begin with a year, so
   * a year or another date must be the whole reference.
   */
  linesWithReference(word: number): number[] {
    const isYear = isDate(this.texts.spelling[word] as string);
    const lines = this.linesWith(word);
    return toList(lines, 0, lines.length).filter((line) => {
      const row = this.otherTexts.rowOf[line] as number;
      const reference = wordsOfField(this.otherTexts, row, REFERENCE);
      return reference.includes(word) && (!isYear || reference.length === 1);
    });
  }

  linesWith(word: number): Int32Array {
    return this.index.of(word);
  }
}

export function wordsOfLines(texts: SideTexts, lines: readonly number[]): Set<number> {
  return new Set(lines.flatMap((line) => wordsOfRow(texts, texts.rowOf[line] as number)));
}

function wordsOfRow(texts: SideTexts, row: number): number[] {
  if (row < 0) return [];
  const first = row * FIELD_COUNT;
  return toList(texts.words, texts.start[first] as number, texts.start[first + FIELD_COUNT]);
}

function wordsOfField(texts: SideTexts, row: number, field: number): number[] {
  const cell = row * FIELD_COUNT + field;
  return toList(texts.words, texts.start[cell] as number, texts.start[cell + 1]);
}
