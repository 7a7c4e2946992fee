import { CloseWords } from "../candidates/close-words.ts";
import { combinationHash } from "../content-hash.ts";
import { Contradictions } from "../evidence/contradictions.ts";
import { Kinds } from "../evidence/kinds.ts";
import { slipBetween } from "../evidence/levels.ts";
import { Numbering } from "../evidence/numbering.ts";
import { OtherNames } from "../evidence/other-names.ts";
import { OwnBookings } from "../evidence/own-bookings.ts";
import { QuotedReferences } from "../evidence/quoted-references.ts";
import type { Lines } from "../lines.ts";
import { BASIS, HELD, Matches, type Verdict } from "../matches.ts";
import type { Progress } from "../progress.ts";
import type { Side } from "../side.ts";
import type { LinesByNumber } from "./named.ts";
import { compareContent, sortLines } from "./order.ts";
import { sum } from "./sum.ts";
import { type SideTexts, Texts } from "./texts.ts";

/** What a match is worth at most whose lines contradict each other. */
const CONTRADICTED = 0.5;

/** Digits that change places make nine minor units or more. */
const MAX_ROUNDING = 8;

const UNREAD = new Numbering(null);

/** Lines of both sides. */
class LineSet {
  private readonly left = new Set<number>();
  private readonly right = new Set<number>();

  add(left: readonly number[], right: readonly number[]): void {
    for (const line of left) this.left.add(line);
    for (const line of right) this.right.add(line);
  }

  hasAny(left: readonly number[], right: readonly number[]): boolean {
    return left.some((line) => this.left.has(line)) || right.some((line) => this.right.has(line));
  }
}

/** How far a run has come: what its stages read and what they have settled. */
export class RunState {
  readonly left: Lines;
  readonly right: Lines;
  private readonly rejected: ReadonlySet<string>;
  readonly confirmed = new Matches();
  /**
   * Proposals of all rules, overlapping each other and perhaps later matches: the best disjoint
   * ones are kept at the end.
   */
  readonly proposed = new Matches();
  /** Lines of reversals that a person is to decide on. */
  readonly perhapsCancelled = { left: new Set<number>(), right: new Set<number>() };
  /**
   * Second charges and the credits that take them back: only the first charge has a counterpart.
   */
  readonly chargedTwice = { left: new Set<number>(), right: new Set<number>() };
  /** Lines that a suggested sum of lines with the same names explains to the cent. */
  readonly exactSums = new LineSet();
  /** Lines that have both such a sum and a probable pair that leaves a difference. */
  readonly disputed = new LineSet();
  private readonly settled: { left: Uint8Array; right: Uint8Array };
  private readonly settledCount = { left: 0, right: 0 };
  private readonly ordered: { left?: Int32Array; right?: Int32Array } = {};
  private words: Texts | null = null;
  private movements: Kinds | null = null;
  private numbers: Numbering | null = null;
  private readonly names: { left?: OtherNames; right?: OtherNames } = {};
  private readonly quoted: { left?: QuotedReferences; right?: QuotedReferences } = {};
  /** Which lines name each other by a number; null before a rule has looked for them. */
  named: LinesByNumber | null = null;
  readonly contradictions: Contradictions;
  private readonly ownBookings: OwnBookings;
  /** Whether the leading exact rules are done. */
  isPastExactRules = false;
  private readonly close = new Map<SideTexts, CloseWords>();

  constructor(left: Lines, right: Lines, rejected: ReadonlySet<string>) {
    this.left = left;
    this.right = right;
    this.rejected = rejected;
    this.settled = { left: new Uint8Array(left.length), right: new Uint8Array(right.length) };
    this.ownBookings = new OwnBookings(left, right);
    this.contradictions = new Contradictions(left, right, () => this.numbering());
  }

  isOpen(side: Side, line: number): boolean {
    return this.settled[side][line] === 0;
  }

  openCount(side: Side): number {
    return this[side].length - this.settledCount[side];
  }

  /**
   * The one way into the result: confirms what nothing holds back, unless the lines contradict each
   * other or their amounts are a slip apart, and proposes the rest, except a bank's own booking
   * with a customer's line.
   * @returns whether it was confirmed.
   */
  decide(
    rule: number,
    left: ArrayLike<number>,
    right: ArrayLike<number>,
    verdict: Verdict,
    allocated?: readonly number[],
  ): boolean {
    if (this.isPastExactRules && verdict.basis !== BASIS.keyed && this.areUnrelated(left, right))
      return false;
    const contradicts = this.contradictions.of(left, right).length > 0;
    const isHeld = contradicts || this.areSlipApart(left, right, verdict);
    if (verdict.held === HELD.no && !isHeld) {
      this.confirm(rule, left, right, verdict, allocated);
      return true;
    }
    const held = verdict.held === HELD.no ? HELD.contradiction : verdict.held;
    const score = contradicts ? Math.min(verdict.score, CONTRADICTED) : verdict.score;
    this.proposed.add(rule, left, right, { ...verdict, held, score }, allocated);
    return false;
  }

  private areUnrelated(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
    return left.length > 0 && right.length > 0 && this.ownBookings.isOwnAgainstParty(left, right);
  }

  /**
   * Whether a slip of typing explains a difference better than a fee would. A rule that doesn't
   * weigh calls a few minor units rounding.
   */
  private areSlipApart(
    left: ArrayLike<number>,
    right: ArrayLike<number>,
    { held, basis, isExplained }: Verdict,
  ): boolean {
    if (held !== HELD.no || isExplained || left.length === 0 || right.length === 0) return false;
    const [one, other] = [this.totalOf("left", left), this.totalOf("right", right)];
    if (basis !== BASIS.evidence && Math.abs(one - other) <= MAX_ROUNDING) return false;
    return slipBetween(one, other) !== null;
  }

  private totalOf(side: Side, lines: ArrayLike<number>): number {
    const { amount } = this[side];
    if (lines.length === 1) return amount[lines[0] as number] as number;
    return Number(sum(Array.from(lines, (line) => amount[line] as number)));
  }

  private confirm(
    rule: number,
    left: ArrayLike<number>,
    right: ArrayLike<number>,
    verdict: Verdict,
    allocated?: readonly number[],
  ): void {
    this.confirmed.add(rule, left, right, verdict, allocated);
    this.settledCount.left += left.length;
    this.settledCount.right += right.length;
    for (let at = 0; at < left.length; at++) this.settled.left[left[at] as number] = 1;
    for (let at = 0; at < right.length; at++) this.settled.right[right[at] as number] = 1;
  }

  /** The lines that are proposed with a higher score than this. */
  probablyProposed(score: number): Record<Side, ReadonlySet<number>> {
    const lines = { left: new Set<number>(), right: new Set<number>() };
    for (let index = 0; index < this.proposed.length; index++) {
      if ((this.proposed.score[index] as number) <= score) continue;
      for (const line of this.proposed.left(index)) lines.left.add(line);
      for (const line of this.proposed.right(index)) lines.right.add(line);
    }
    return lines;
  }

  get hasRejections(): boolean {
    return this.rejected.size > 0;
  }

  isRejected(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
    return (
      this.rejected.size > 0 &&
      this.rejected.has(combinationHash(this.left, left, this.right, right))
    );
  }

  /** The open lines of a side in canonical order. */
  open(side: Side): Int32Array {
    const before = this.ordered[side];
    if (before?.length === this.openCount(side)) return before;
    const isOpen = (line: number) => this.isOpen(side, line);
    const ordered = before ? before.filter(isOpen) : sortLines(this[side], isOpen);
    this.ordered[side] = ordered;
    return ordered;
  }

  /** The same without what may be cancelled: in a sum it would only fill what is missing. */
  openUncancelled(side: Side): Int32Array {
    const cancelled = this.perhapsCancelled[side];
    return cancelled.size === 0
      ? this.open(side)
      : this.open(side).filter((line) => !cancelled.has(line));
  }

  /** The words of all lines that were open when they were first asked for. */
  texts(): Texts {
    return (
      this.words ??
      this.setTexts(
        Texts.of(
          { lines: this.left, open: this.open("left") },
          { lines: this.right, open: this.open("right") },
        ),
      )
    );
  }

  private setTexts(texts: Texts): Texts {
    this.words = texts;
    this.contradictions.setTexts(texts);
    return texts;
  }

  kinds(): Kinds {
    this.movements ??= new Kinds(this.texts());
    return this.movements;
  }

  /**
   * Exact rules decide before texts are read, so that what they settle is the same whichever other
   * lines are given.
   */
  private numbering(): Numbering {
    if (!this.isPastExactRules) return UNREAD;
    this.numbers ??= new Numbering(this.texts());
    return this.numbers;
  }

  /** The counterparties of a side's lines that were open when texts were read. */
  otherNames(side: Side): OtherNames {
    const { lines, lineOf } = this.texts()[side];
    const known = this.names[side];
    if (known) return known;
    const { counterparty } = lines.hashes;
    const seen = new Set<number>();
    const names: string[] = [];
    for (const line of lineOf) {
      if (!counterparty.has(line) || seen.has(counterparty.key(line))) continue;
      seen.add(counterparty.key(line));
      const name = lines.text(line, "counterparty");
      if (name !== null) names.push(name);
    }
    const otherNames = new OtherNames(names);
    this.names[side] = otherNames;
    return otherNames;
  }

  /** The references of a side's lines that were open when texts were read. */
  quotedReferences(side: Side): QuotedReferences {
    const texts = this.texts();
    const known = this.quoted[side] ?? new QuotedReferences(texts, texts[side]);
    this.quoted[side] = known;
    return known;
  }

  /** Words of a side that are one slip away from others. */
  closeWords(side: SideTexts): CloseWords {
    const known = this.close.get(side) ?? new CloseWords(this.texts(), side);
    this.close.set(side, known);
    return known;
  }

  /** Reads the texts in slices, so that a run yields between them. */
  *readTexts(stage: string): Generator<Progress> {
    if (this.words) return;
    const reading = Texts.inSlices(
      { lines: this.left, open: this.open("left") },
      { lines: this.right, open: this.open("right") },
    );
    for (;;) {
      const step = reading.next();
      if (step.done) {
        this.setTexts(step.value);
        return;
      }
      yield { stage, done: 0, total: 0 };
    }
  }

  /** Whether nothing tells two lines of a side apart. */
  areTwins(side: Side, a: number, b: number): boolean {
    return compareContent(this[side], a, b) === 0;
  }
}
