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
import type { LineFlags, Side } from "../side.ts";
import type { LinesByNumber } from "./named.ts";
import { compareContent, sortLines } from "./order.ts";
import { sum } from "./sum.ts";
import { type SideTexts, Texts } from "./texts.ts";

/** The maximum score of a match whose lines contradict each other. */
const MAX_CONTRADICTED_SCORE = 0.5;

/** The maximum rounding difference in minor units. Swapped digits differ by nine or more. */
const MAX_ROUNDING = 8;

const NUMBERING_BEFORE_TEXTS = new Numbering(null);

/** A set of lines of both sides. */
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

/** The state of a run: what its stages have read and matched so far. */
export class RunState {
  readonly left: Lines;
  readonly right: Lines;
  private readonly rejected: ReadonlySet<string>;
  readonly confirmed = new Matches();
  /**
   * The proposals of all rules. They may overlap each other and later matches; at the end, the best
   * disjoint ones become suggestions.
   */
  readonly proposed = new Matches();
  /** Lines of possible reversals, about which a person decides. */
  readonly pendingReversals = { left: new Set<number>(), right: new Set<number>() };
  /**
   * Duplicate charges and the credits that reverse them. Only the first charge has a counterpart.
   */
  readonly chargedTwice = { left: new Set<number>(), right: new Set<number>() };
  /** Lines of suggested sums that are exact to the cent and whose lines share names. */
  readonly exactSums = new LineSet();
  /** Lines that have such a sum and also a probable pair that leaves a difference. */
  readonly disputed = new LineSet();
  private readonly settled: { left: Uint8Array; right: Uint8Array };
  private readonly settledCount = { left: 0, right: 0 };
  /** The open lines that rules are not applied to; null: they are applied to all. */
  private leftOut: { left: Uint8Array; right: Uint8Array } | null = null;
  private readonly leftOutCount = { left: 0, right: 0 };
  private readonly ordered: { left?: Int32Array; right?: Int32Array } = {};
  private cachedTexts: Texts | null = null;
  private cachedKinds: Kinds | null = null;
  private readonly firstWords: Kinds["firstWords"] | undefined;
  private cachedNumbering: Numbering | null = null;
  private readonly cachedNames: { left?: OtherNames; right?: OtherNames } = {};
  private readonly cachedReferences: { left?: QuotedReferences; right?: QuotedReferences } = {};
  /** Lines that name each other by a number; null before a rule has searched them. */
  named: LinesByNumber | null = null;
  readonly contradictions: Contradictions;
  private readonly ownBookings: OwnBookings;
  /** Whether the leading exact rules have been applied. */
  isPastExactRules = false;
  private readonly cachedCloseWords = new Map<SideTexts, CloseWords>();

  /** @param firstWords the first words that distinguish kinds of movements; by default, frequent ones. */
  constructor(
    left: Lines,
    right: Lines,
    rejected: ReadonlySet<string>,
    firstWords?: Kinds["firstWords"],
  ) {
    this.left = left;
    this.right = right;
    this.rejected = rejected;
    this.firstWords = firstWords;
    this.settled = { left: new Uint8Array(left.length), right: new Uint8Array(right.length) };
    this.ownBookings = new OwnBookings(left, right);
    this.contradictions = new Contradictions(left, right, () => this.numbering());
  }

  isOpen(side: Side, line: number): boolean {
    return this.settled[side][line] === 0;
  }

  /** The number of open lines that rules are applied to. */
  openCount(side: Side): number {
    return this[side].length - this.settledCount[side] - this.leftOutCount[side];
  }

  /**
   * Limits rules to some of the open lines. The others stay open, and count wherever rarity does.
   * @param matched lines that an earlier run matched, which no rule may match.
   */
  limitTo(limited: LineFlags, matched: LineFlags): void {
    this.texts();
    const leftOut = {
      left: new Uint8Array(this.left.length),
      right: new Uint8Array(this.right.length),
    };
    for (const side of ["left", "right"] as const) {
      for (let line = 0; line < this[side].length; line++) {
        if (matched[side][line]) {
          this.settled[side][line] = 1;
          this.settledCount[side] += 1;
        } else if (!limited[side][line]) {
          leftOut[side][line] = 1;
          this.leftOutCount[side] += 1;
        }
      }
    }
    this.leftOut = leftOut;
  }

  get isLimited(): boolean {
    return this.leftOut !== null;
  }

  /**
   * Adds a match to the result. Every rule adds its matches here. The match is confirmed unless the
   * verdict holds it back, its lines contradict each other, or its amounts are a typing slip apart.
   * Other matches are proposed, except a bank's own booking with a customer's line.
   * @returns whether the match was confirmed.
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
    const score = contradicts ? Math.min(verdict.score, MAX_CONTRADICTED_SCORE) : verdict.score;
    this.proposed.add(rule, left, right, { ...verdict, held, score }, allocated);
    return false;
  }

  private areUnrelated(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
    return left.length > 0 && right.length > 0 && this.ownBookings.isOwnAgainstParty(left, right);
  }

  /**
   * Whether a typing slip explains the difference of the amounts better than a fee does. For rules
   * that don't weigh evidence, a few minor units count as rounding.
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
    this.settle("left", left);
    this.settle("right", right);
  }

  private settle(side: Side, lines: ArrayLike<number>): void {
    this.settledCount[side] += lines.length;
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at] as number;
      this.settled[side][line] = 1;
      if (!this.leftOut?.[side][line]) continue;
      this.leftOut[side][line] = 0;
      this.leftOutCount[side] -= 1;
    }
  }

  /** The lines of proposals with a score above this one. */
  proposedAbove(score: number): Record<Side, ReadonlySet<number>> {
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

  /** The open lines of a side that rules are applied to, in canonical order. */
  open(side: Side): Int32Array {
    const before = this.ordered[side];
    if (before?.length === this.openCount(side)) return before;
    const isOpen = (line: number) => this.isOpen(side, line) && !this.leftOut?.[side][line];
    const ordered = before ? before.filter(isOpen) : sortLines(this[side], isOpen);
    this.ordered[side] = ordered;
    return ordered;
  }

  /** The open lines without possible reversals, which could only fill gaps in sums. */
  openForSums(side: Side): Int32Array {
    return this.withoutPendingReversals(side, this.open(side));
  }

  /** The same, including lines that rules are not applied to: they may be parts of a sum. */
  partsOfSums(side: Side): Int32Array {
    if (!this.leftOut) return this.openForSums(side);
    const open = this.texts()[side].lineOf.filter((line) => this.isOpen(side, line));
    return this.withoutPendingReversals(side, open);
  }

  private withoutPendingReversals(side: Side, lines: Int32Array): Int32Array {
    const pending = this.pendingReversals[side];
    return pending.size === 0 ? lines : lines.filter((line) => !pending.has(line));
  }

  /** The words of all lines that were open when texts were first needed. */
  texts(): Texts {
    return (
      this.cachedTexts ??
      this.setTexts(
        Texts.of(
          { lines: this.left, open: this.open("left") },
          { lines: this.right, open: this.open("right") },
        ),
      )
    );
  }

  private setTexts(texts: Texts): Texts {
    this.cachedTexts = texts;
    this.contradictions.setTexts(texts);
    return texts;
  }

  kinds(): Kinds {
    this.cachedKinds ??= new Kinds(this.texts(), this.firstWords);
    return this.cachedKinds;
  }

  /**
   * Leading exact rules are applied before texts are read, so that their matches don't depend on
   * other lines.
   */
  private numbering(): Numbering {
    if (!this.isPastExactRules) return NUMBERING_BEFORE_TEXTS;
    this.cachedNumbering ??= new Numbering(this.texts());
    return this.cachedNumbering;
  }

  /** The counterparties of the lines of a side that were open when texts were read. */
  otherNames(side: Side): OtherNames {
    const { lines, lineOf } = this.texts()[side];
    const known = this.cachedNames[side];
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
    this.cachedNames[side] = otherNames;
    return otherNames;
  }

  /** The references of the lines of a side that were open when texts were read. */
  quotedReferences(side: Side): QuotedReferences {
    const texts = this.texts();
    const known = this.cachedReferences[side] ?? new QuotedReferences(texts, texts[side]);
    this.cachedReferences[side] = known;
    return known;
  }

  /** The words of a side that are one slip away from a word. */
  closeWords(side: SideTexts): CloseWords {
    const known = this.cachedCloseWords.get(side) ?? new CloseWords(this.texts(), side);
    this.cachedCloseWords.set(side, known);
    return known;
  }

  /** Reads the texts in slices, so that a run yields between them. */
  *readTexts(stage: string): Generator<Progress> {
    if (this.cachedTexts) return;
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

  /** Whether two lines of a side are indistinguishable. */
  areTwins(side: Side, a: number, b: number): boolean {
    return compareContent(this[side], a, b) === 0;
  }
}
