/**
 * Whether the lines of a sum have more in common than their amounts: one name, a number that they
 * share, or a line that names each of them. Without that, even the rarest sum is only arithmetic.
 */
import { textVerdict } from "../evidence/fields.ts";
import type { Lines } from "../lines.ts";
import type { RunState } from "../prepare/run-state.ts";
import { wordsOf } from "../prepare/text.ts";
import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";
import { toList } from "../prepare/to-list.ts";
import { opposite, type Side } from "../side.ts";

/** The counterparty of a line, or its description if it has none. */
type Name = { field: "counterparty" | "description"; text: string };

const MIN_NUMBER_DIGITS = 3;
/** A word that more lines have is not part of a name. */
const MAX_NAME_LINES = 60;

/** @param members lines of the side opposite the target's. */
export function areRelated(
  state: RunState,
  side: Side,
  target: number,
  members: readonly number[],
): boolean {
  const own = new Reader(state, side);
  const other = new Reader(state, opposite(side));
  const names = members.map((line) => other.nameOf(line));
  const known = names.filter((name) => name !== null);
  const [first] = known;
  if (!first || known.every((name) => isSame(first, name))) return true;
  // A number that many other lines also have is a month or an account, not a batch of these lines.
  const max = 2 * (members.length + 1);
  const numbers = members.map((line) => other.numbersOf(line, max));
  if (numbers[0]?.some((number) => numbers.every((item) => item.includes(number)))) return true;
  const targetNumbers = own.numbersOf(target, max);
  const isNamed = (line: number, at: number) =>
    numbers[at]?.some((number) => targetNumbers.includes(number)) ||
    own.hasNameOf(target, other, line) ||
    other.hasNameOf(line, own, target);
  const named = names.filter((_, at) => isNamed(members[at] as number, at));
  const belongs = (name: Name | null) =>
    name === null || named.some((one) => one === name || (one !== null && isSame(one, name)));
  return named.length > 0 && names.every(belongs);
}

/** Reads the names and numbers of the lines of a side. */
class Reader {
  private readonly lines: Lines;
  private readonly texts: Texts;
  private readonly side: SideTexts;

  constructor(state: RunState, side: Side) {
    this.lines = state[side];
    this.texts = state.texts();
    this.side = this.texts[side];
  }

  nameOf(line: number): Name | null {
    const counterparty = this.counterparty(line);
    if (counterparty !== null) return { field: "counterparty", text: counterparty };
    const description = this.lines.text(line, "description");
    const hasRareWord = this.words(line).some(
      (word) => (this.texts.lineCount[word] as number) <= MAX_NAME_LINES,
    );
    return description !== null && hasRareWord ? { field: "description", text: description } : null;
  }

  /** Words with a digit, except years, that at most `max` lines have. */
  numbersOf(line: number, max: number): number[] {
    return this.words(line).filter((word) => {
      const spelling = this.texts.spelling[word] as string;
      const isNumber =
        spelling.length >= MIN_NUMBER_DIGITS &&
        /\d/.test(spelling) &&
        !/^(19|20)\d\d$/.test(spelling);
      return isNumber && (this.texts.lineCount[word] as number) <= max;
    });
  }

  /**
   * Whether a line has the same counterparty as another, or the other's whole name in its texts.
   */
  hasNameOf(line: number, other: Reader, otherLine: number): boolean {
    const name = other.counterparty(otherLine);
    if (name === null) return false;
    const own = this.counterparty(line);
    if (
      own !== null &&
      isSame({ field: "counterparty", text: own }, { field: "counterparty", text: name })
    )
      return true;
    const words = new Set(this.words(line).map((word) => this.texts.spelling[word] as string));
    return wordsOf(name, "counterparty").every((word) => words.has(word));
  }

  private counterparty(line: number): string | null {
    return this.lines.hashes.counterparty.has(line) ? this.lines.text(line, "counterparty") : null;
  }

  private words(line: number): number[] {
    const { rowOf, start, words } = this.side;
    const row = rowOf[line] as number;
    return row < 0 ? [] : toList(words, start[row * FIELD_COUNT], start[(row + 1) * FIELD_COUNT]);
  }
}

function isSame(a: Name, b: Name): boolean {
  if (a.field !== b.field) return false;
  const verdict = textVerdict(a.text, b.text, a.field);
  return verdict === "equal" || (a.field === "counterparty" && verdict === "close");
}
