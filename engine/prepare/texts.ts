/**
 * The words of the lines whose evidence is weighed, as numbers, and how rare each word is.
 * Agreement on rare words is stronger evidence (Winkler, "Frequency-based matching in
 * Fellegi-Sunter model of record linkage", 2000).
 */

import type { Lines } from "../lines.ts";
import { finished } from "../progress.ts";
import { Counts } from "./counts.ts";
import { growColumn } from "./hash.ts";
import { MAX_WORDS, type TextField, wordsOf } from "./text.ts";
import { Vocabulary } from "./vocabulary.ts";

export const FIELDS = [
  "reference",
  "counterparty",
  "description",
  "group_key",
] as const satisfies readonly TextField[];
export const FIELD_COUNT = FIELDS.length;
const COUNTERPARTY = FIELDS.indexOf("counterparty");
/**
 * How many lines the general frequencies of words count as. With more lines than this, the observed
 * frequencies outweigh them.
 */
const PRIOR_LINES = 50;

/** The number of shapes that `shapeOf` distinguishes. */
export const SHAPES = 12;

/** How many recent values of a field are remembered while texts are read. */
const RECENT_VALUES = 2 ** 14;

/** The number of lines read between two yields. */
const SLICE = 5000;

type OpenSide = { lines: Lines; open: Int32Array };

export class Texts {
  readonly left: SideTexts;
  readonly right: SideTexts;
  /** By word: the number of lines that have it, its shape and its spelling. */
  readonly lineCount: Float64Array;
  readonly shape: Uint8Array;
  readonly spelling: readonly string[];
  /** By word: its length, first letter and last letter, as bits. */
  readonly outline: Int32Array;
  /** By word: a bit for each letter or digit that it has. */
  readonly letters: Int32Array;
  /** By word: the field in which it was first found. */
  readonly mainField: Uint8Array;
  /** By word: −ln of the probability that some other line has it. */
  readonly rarity: Float64Array;
  private readonly prefixCount: Counts;
  private readonly valueCount: Counts;
  private readonly lines: number;
  private readonly vocabulary: Vocabulary;

  /** Reads the words of these lines in slices, yielding between them. */
  static *inSlices(left: OpenSide, right: OpenSide): Generator<void, Texts> {
    const vocabulary = new Vocabulary();
    const sides = [
      new SideTexts(left.lines, left.open),
      new SideTexts(right.lines, right.open),
    ] as const;
    for (const side of sides) {
      for (let row = 0; row < side.rows; row += SLICE) {
        side.read(row, Math.min(row + SLICE, side.rows), vocabulary);
        yield;
      }
    }
    const texts = new Texts(...sides, vocabulary);
    yield* texts.countInSlices();
    return texts;
  }

  /** Reads the words of these lines at once. */
  static of(left: OpenSide, right: OpenSide): Texts {
    return finished(Texts.inSlices(left, right));
  }

  private constructor(left: SideTexts, right: SideTexts, vocabulary: Vocabulary) {
    this.left = left;
    this.right = right;
    this.vocabulary = vocabulary;
    this.spelling = vocabulary.spelling;
    const { length } = this.spelling;
    this.outline = new Int32Array(length);
    this.letters = new Int32Array(length);
    this.shape = new Uint8Array(length);
    this.mainField = new Uint8Array(length);
    for (let id = 0; id < length; id++) {
      const word = this.spelling[id] as string;
      this.outline[id] =
        (Math.min(255, word.length) << 16) |
        ((word.charCodeAt(0) & 0xff) << 8) |
        (word.charCodeAt(word.length - 1) & 0xff);
      this.letters[id] = lettersOf(word);
      this.shape[id] = shapeOf(word);
    }
    this.lines = left.rows + right.rows;
    this.prefixCount = new Counts(this.lines);
    this.valueCount = new Counts(this.lines);
    this.lineCount = new Float64Array(this.spelling.length);
    this.rarity = new Float64Array(this.spelling.length);
  }

  private *countInSlices(): Generator<void> {
    const seen = new Int32Array(this.spelling.length);
    for (const side of [this.left, this.right]) {
      seen.fill(-1);
      for (let row = 0; row < side.rows; row++) {
        this.count(side, row, seen);
        if (row % SLICE === 0) yield;
      }
    }
    this.spelling.forEach((word, id) => {
      this.rarity[id] = this.rarityOf(this.lineCount[id] as number, commonness(word));
    });
  }

  /** The number of a word in normal form; −1 if no line has it. */
  numberOf(word: string): number {
    return this.vocabulary.find(word);
  }

  /**
   * −ln of the probability that an unrelated line has a value that `count` lines have.
   * @param expected the general frequency of such values.
   */
  rarityOf(count: number, expected: number): number {
    const frequency =
      Math.max(0, count - 2) +
      (0.5 * this.lines) / (this.lines + PRIOR_LINES) +
      PRIOR_LINES * expected;
    return -Math.log(Math.min(1, frequency / (this.lines + PRIOR_LINES)));
  }

  /**
   * The joint rarity of the first `length` words of a field. Words that often occur together are
   * therefore not counted as independent.
   */
  prefixRarity(side: SideTexts, row: number, field: number, length: number): number {
    const at = (side.start[row * FIELD_COUNT + field] as number) + length - 1;
    let expected = 1;
    for (let word = at - length + 1; word <= at; word++)
      expected *= commonness(this.spelling[side.words[word] as number] as string);
    return this.rarityOf(this.prefixCount.get(side.prefix[at] as number), expected);
  }

  /** The rarity of the whole value of a field. */
  valueRarity(side: SideTexts, row: number, field: number): number {
    const key = side.valueKey(row, field);
    return this.rarityOf(key !== null ? this.valueCount.get(key) : 2, 1e-4);
  }

  private count(side: SideTexts, row: number, seen: Int32Array): void {
    for (let field = 0; field < FIELD_COUNT; field++) {
      const cell = row * FIELD_COUNT + field;
      for (let at = side.start[cell] as number; at < (side.start[cell + 1] as number); at++) {
        const word = side.words[at] as number;
        if (seen[word] !== row) {
          seen[word] = row;
          if (this.lineCount[word] === 0) this.mainField[word] = field;
          this.lineCount[word] = (this.lineCount[word] as number) + 1;
        }
        const prefix = side.prefix[at] as number;
        this.prefixCount.add(prefix);
      }
      const key = side.valueKey(row, field);
      if (key !== null) this.valueCount.add(key);
    }
  }
}

const ZERO = 0x30;
/**
 * A padded number has at most MAX_PREFIX letters, and at least MIN_PADDED_DIGITS digits after its
 * zeros.
 */
const MAX_PREFIX = 6;
const MIN_PADDED_DIGITS = 4;
const PADDED = /^(?:0+|[A-Z]{1,6}0+(?=\d{4}))(\d+)$/;

/**
 * The start of a number without the letters and zeros before it: some fields of a bank's file are
 * padded with zeros and others are not, and people who quote a number leave out letters before
 * zeros. For other words this is the start of the word.
 */
function skipPadding(bytes: Uint8Array, from: number, to: number): number {
  const zeros = skipLetters(bytes, from, to);
  let at = zeros;
  while (at < to - 1 && bytes[at] === ZERO) at += 1;
  if (at === zeros || (zeros > from && to - at < MIN_PADDED_DIGITS)) return from;
  for (let digit = at; digit < to; digit++) if (!isDigit(bytes[digit] as number)) return from;
  return at;
}

function skipLetters(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && !isDigit(bytes[at] as number)) at += 1;
  return at - from <= MAX_PREFIX ? at : from;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

function withoutPadding(word: string): string {
  return PADDED.exec(word)?.[1] ?? word;
}

const wordRanges = new Int32Array(2 * MAX_WORDS);

/** Extends the hash of a prefix by a word. The products are exact in doubles. */
function extendPrefix(prefix: number, word: number): number {
  return (prefix * 1_000_003 + word * 7919 + 1) % 8_000_000_011;
}

export class SideTexts {
  readonly lines: Lines;
  readonly rows: number;
  /** The row of each line; −1 for settled lines. */
  readonly rowOf: Int32Array;
  readonly lineOf: Int32Array;
  /** The words of field f of row i are at `start[i * FIELD_COUNT + f]` to before the next start. */
  readonly start: Int32Array;
  words = new Int32Array(1024);
  /** By position in `words`: a hash of the words of its field up to it. */
  prefix = new Float64Array(1024);

  private used = 0;
  /** By field and hash of the value: one plus the last line that had it. */
  private readonly recent = new Int32Array(FIELD_COUNT * RECENT_VALUES);

  constructor(lines: Lines, open: Int32Array) {
    this.lines = lines;
    this.rows = open.length;
    this.lineOf = open;
    this.rowOf = new Int32Array(lines.length).fill(-1);
    this.start = new Int32Array(open.length * FIELD_COUNT + 1);
  }

  /** Reads the words of these rows. Rows must be read in ascending order. */
  read(from: number, to: number, vocabulary: Vocabulary): void {
    for (let row = from; row < to; row++) {
      const line = this.lineOf[row] as number;
      this.rowOf[line] = row;
      for (let field = 0; field < FIELD_COUNT; field++) {
        this.start[row * FIELD_COUNT + field] = this.used;
        const knownAs = field === COUNTERPARTY ? this.lines.knownAs.get(line) : undefined;
        if (knownAs === undefined && this.copyRecent(line, field)) continue;
        this.readField(line, field, vocabulary, knownAs);
      }
    }
    this.start[to * FIELD_COUNT] = this.used;
  }

  /**
   * @param knownAs another name, which is read before the field so that its words form a prefix.
   */
  private readField(line: number, field: number, vocabulary: Vocabulary, knownAs = ""): void {
    const name = FIELDS[field] as TextField;
    let prefix = field + 1;
    for (const word of knownAs === "" ? [] : wordsOf(knownAs, name).slice(0, MAX_WORDS)) {
      const id = vocabulary.idOf(word);
      prefix = extendPrefix(prefix, id);
      this.add(id, prefix);
    }
    const count = this.lines.wordRanges(line, name, wordRanges);
    if (count >= 0) {
      const { block } = this.lines;
      for (let word = 0; word < count; word++) {
        const to = wordRanges[2 * word + 1] as number;
        const id = vocabulary.idOfBytes(
          block,
          skipPadding(block, wordRanges[2 * word] as number, to),
          to,
        );
        prefix = extendPrefix(prefix, id);
        this.add(id, prefix);
      }
      return;
    }
    for (const word of this.lines.words(line, name).slice(0, MAX_WORDS)) {
      const id = vocabulary.idOf(withoutPadding(word));
      prefix = extendPrefix(prefix, id);
      this.add(id, prefix);
    }
  }

  /**
   * Copies the words of a recently read line with the same value, so that a name that many lines
   * have is split only once.
   * @returns whether the field needs no reading: its words were copied, or it is empty.
   */
  private copyRecent(line: number, field: number): boolean {
    const column = this.lines.hashes[FIELDS[field] as TextField];
    if (!column.has(line)) return true;
    // References are compared as one word, so equal references may have different words.
    if (FIELDS[field] === "reference") return false;
    const slot = field * RECENT_VALUES + ((column.low[line] as number) & (RECENT_VALUES - 1));
    const before = (this.recent[slot] as number) - 1;
    this.recent[slot] = line + 1;
    if (before < 0 || !column.equal(line, column, before)) return false;
    const cell = (this.rowOf[before] as number) * FIELD_COUNT + field;
    for (let at = this.start[cell] as number; at < (this.start[cell + 1] as number); at++)
      this.add(this.words[at] as number, this.prefix[at] as number);
    return true;
  }

  private add(word: number, prefix: number): void {
    if (this.used === this.words.length) {
      this.words = growColumn(this.words, 2 * this.used);
      this.prefix = growColumn(this.prefix, 2 * this.used);
    }
    this.words[this.used] = word;
    this.prefix[this.used++] = prefix;
  }

  valueKey(row: number, field: number): number | null {
    const column = this.lines.hashes[FIELDS[field] as TextField];
    const line = this.lineOf[row] as number;
    return column.has(line) ? column.key(line) + field : null;
  }
}

/**
 * The general frequency of words like this one in lines. Long words are rare, and long numbers are
 * rarer.
 */
function commonness(word: string): number {
  if (digitsIn(word) > 0) return NUMBER_FREQUENCIES[Math.min(5, word.length)] as number;
  return WORD_FREQUENCIES[Math.min(5, word.length)] as number;
}

/** By length: the general frequency of words with a digit, and of other words. */
const NUMBER_FREQUENCIES = [1, 0.1, 0.01, 1e-3, 1e-4, 1e-5];
const WORD_FREQUENCIES = [0.05, 0.05, 0.02, 0.01, 0.004, 0.002];

function digitsIn(word: string): number {
  let digits = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) digits += 1;
  }
  return digits;
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

/** Letters, digits or both, by length: words of one shape are equally often lost or misspelled. */
function shapeOf(word: string): number {
  const digits = digitsIn(word);
  const kind = digits === 0 ? 0 : digits === word.length ? 1 : 2;
  const length = word.length <= 1 ? 0 : word.length <= 3 ? 1 : word.length <= 6 ? 2 : 3;
  return kind * 4 + length;
}
