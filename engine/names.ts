/**
 * Names that decisions have shown to be the same: the name that a bank or a card scheme uses for a
 * merchant, and the name on the other side. A pair of names is learned if the lines of a confirmed
 * match share no word. A line with another known name is weighed as if it had both.
 */
import type { Line } from "./lines.ts";
import { cut, wordsOf } from "./prepare/text.ts";
import { MAX_NAMES } from "./rules.ts";

/**
 * `right` is the right side's name as words in normal form, without words that contain digits,
 * because these change from one payment to the next.
 */
export type KnownName = { left: string; right: string; confirmed: number };

type NameFields = { [Field in "reference" | "counterparty" | "description"]?: Line[Field] };

/**
 * A text that stands for more names than this, such as that of a payment service, identifies none
 * of them.
 */
const MAX_ALIASES = 3;
const MAX_NAME_LENGTH = 100;
const NAME_FIELDS = ["counterparty", "description", "reference"] as const;

export class Names {
  private readonly byRight = new Map<string, KnownName[]>();

  constructor(names: readonly KnownName[] = []) {
    for (const name of names)
      this.byRight.set(name.right, [...(this.byRight.get(name.right) ?? []), { ...name }]);
  }

  get list(): KnownName[] {
    return [...this.byRight.values()].flat();
  }

  /** The left side's names for the counterparty of a right line; null if none is known. */
  of(right: NameFields): string | null {
    const known = this.byRight.size > 0 ? this.byRight.get(keyOf(right) ?? "") : undefined;
    return known && known.length <= MAX_ALIASES ? known.map(({ left }) => left).join(" ") : null;
  }

  /** Counts a decision on two lines. A rejection subtracts what a confirmation added. */
  recordDecision(left: NameFields, right: NameFields, confirmed: boolean): void {
    const [name, key] = [cut(counterpartyTextOf(left) ?? "", MAX_NAME_LENGTH).trim(), keyOf(right)];
    if (!name || !key) return;
    const known = this.byRight.get(key) ?? [];
    const found = known.find((candidate) => candidate.left === name);
    if (found) {
      found.confirmed += confirmed ? 1 : -1;
      this.store(
        key,
        known.filter((item) => item.confirmed > 0),
      );
    } else if (confirmed && shareNoWord(left, right)) {
      this.store(key, [...known, { left: name, right: key, confirmed: 1 }]);
      this.evictRarest();
    }
  }

  private store(key: string, known: KnownName[]): void {
    if (known.length > 0) this.byRight.set(key, known);
    else this.byRight.delete(key);
  }

  private evictRarest(): void {
    const all = this.list;
    if (all.length <= MAX_NAMES) return;
    const rarest = all.reduce((a, b) => (b.confirmed < a.confirmed ? b : a));
    this.store(
      rarest.right,
      (this.byRight.get(rarest.right) ?? []).filter((name) => name !== rarest),
    );
  }
}

const decode = (value: Line["counterparty"]) =>
  value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : (value ?? null);
/** The text that names the counterparty of a line. */
const counterpartyTextOf = ({ counterparty, description }: NameFields) =>
  decode(counterparty) || decode(description) || null;

const plainWordsOf = (value: string, field: (typeof NAME_FIELDS)[number]) =>
  wordsOf(value, field).filter((word) => !/\d/.test(word));

function keyOf(line: NameFields): string | null {
  const written = counterpartyTextOf(line);
  const key =
    written === null
      ? ""
      : plainWordsOf(written, decode(line.counterparty) ? "counterparty" : "description").join(" ");
  return key.length > 0 && key.length <= MAX_NAME_LENGTH ? key : null;
}

function shareNoWord(left: NameFields, right: NameFields): boolean {
  const words = (line: NameFields) =>
    NAME_FIELDS.flatMap((field) => plainWordsOf(decode(line[field]) ?? "", field));
  const rightWords = new Set(words(right));
  return words(left).every((word) => !rightWords.has(word));
}
