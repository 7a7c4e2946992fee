/**
 * Names that decisions have shown to be the same: how a bank or a card scheme names a merchant, and
 * how the other side does. They are learned if the lines of a confirmed match share no word; a line
 * known by another name is weighed as if it had both.
 */
import type { Line } from "./lines.ts";
import { cut, wordsOf } from "./prepare/text.ts";
import { MAX_NAMES } from "./rules.ts";

/**
 * `right`: its words in normal form, without those that have digits, which change from one payment
 * to the next.
 */
export type KnownName = { left: string; right: string; confirmed: number };

type NameFields = { [Field in "reference" | "counterparty" | "description"]?: Line[Field] };

/**
 * A text that stands for more names, such as that of a payment service, identifies none of them.
 */
const MAX_PER_NAME = 3;
const MAX_LETTERS = 100;
const FIELDS = ["counterparty", "description", "reference"] as const;

export class Names {
  private readonly byRight = new Map<string, KnownName[]>();

  constructor(names: readonly KnownName[] = []) {
    for (const name of names)
      this.byRight.set(name.right, [...(this.byRight.get(name.right) ?? []), { ...name }]);
  }

  get list(): KnownName[] {
    return [...this.byRight.values()].flat();
  }

  /** The left side's name for the counterparty of a right line; null if none is known. */
  of(right: NameFields): string | null {
    const known = this.byRight.size > 0 ? this.byRight.get(keyOf(right) ?? "") : undefined;
    return known && known.length <= MAX_PER_NAME ? known.map(({ left }) => left).join(" ") : null;
  }

  /** Counts a decision on two lines: a rejection subtracts what a confirmation added. */
  decide(left: NameFields, right: NameFields, confirmed: boolean): void {
    const [name, key] = [cut(textOf(left) ?? "", MAX_LETTERS).trim(), keyOf(right)];
    if (!name || !key) return;
    const known = this.byRight.get(key) ?? [];
    const found = known.find((candidate) => candidate.left === name);
    if (found) {
      found.confirmed += confirmed ? 1 : -1;
      this.keep(
        key,
        known.filter((item) => item.confirmed > 0),
      );
    } else if (confirmed && shareNoWord(left, right)) {
      this.keep(key, [...known, { left: name, right: key, confirmed: 1 }]);
      this.forgetRarest();
    }
  }

  private keep(key: string, known: KnownName[]): void {
    if (known.length > 0) this.byRight.set(key, known);
    else this.byRight.delete(key);
  }

  private forgetRarest(): void {
    const all = this.list;
    if (all.length <= MAX_NAMES) return;
    const rarest = all.reduce((a, b) => (b.confirmed < a.confirmed ? b : a));
    this.keep(
      rarest.right,
      (this.byRight.get(rarest.right) ?? []).filter((name) => name !== rarest),
    );
  }
}

const text = (value: Line["counterparty"]) =>
  value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : (value ?? null);
/** The text that names the counterparty of a line. */
const textOf = ({ counterparty, description }: NameFields) =>
  text(counterparty) || text(description) || null;

const plainWordsOf = (value: string, field: (typeof FIELDS)[number]) =>
  wordsOf(value, field).filter((word) => !/\d/.test(word));

function keyOf(line: NameFields): string | null {
  const written = textOf(line);
  const key =
    written === null
      ? ""
      : plainWordsOf(written, text(line.counterparty) ? "counterparty" : "description").join(" ");
  return key.length > 0 && key.length <= MAX_LETTERS ? key : null;
}

function shareNoWord(left: NameFields, right: NameFields): boolean {
  const words = (line: NameFields) =>
    FIELDS.flatMap((field) => plainWordsOf(text(line[field]) ?? "", field));
  const others = new Set(words(right));
  return words(left).every((word) => !others.has(word));
}
