/**
 * Finds the open lines that new lines may belong to, so that a run with news weighs no others. It
 * finds too many rather than too few: lines of the same amount, with a rare word in common, with
 * the same key, or within a rule's tolerance and of one name; and the rivals of all of these.
 */
import { isWithin, reachOf, toleranceOf } from "../prepare/amounts.ts";
import { numberOf } from "../prepare/hash.ts";
import { groupingOf, ruleKey } from "../prepare/key.ts";
import { lowerBound } from "../prepare/lower-bound.ts";
import type { RunState } from "../prepare/run-state.ts";
import { FIELD_COUNT } from "../prepare/texts.ts";
import { WordIndex } from "../prepare/word-index.ts";
import type { Rule } from "../rules.ts";
import { type LineFlags, opposite, type Side } from "../side.ts";
import { daysAround, widestWindow } from "./window.ts";

const SIDES = ["left", "right"] as const;
/** Lines that share a word which no more lines of a side have are connected by it. */
const MAX_LINES_PER_WORD = 30;
/** The same for lines whose amounts are within the tolerance of a rule. */
const MAX_LINES_PER_NAME = 500;
/** The same for the rivals of connected lines, which share a word or an amount. */
const MAX_RIVALS = 5;
/** If more lines are connected than this number and this share, a full run costs little more. */
const MAX_CONNECTED = 2000;
const MAX_CONNECTED_SHARE = 0.5;
/** A calendar month has about this many times as many days as business days, holidays included. */
const DAYS_PER_BUSINESS_DAY = 2;

type News = { fresh: LineFlags; matched: LineFlags };
type Place = { side: Side; line: number };

/** @returns the fresh lines and the open lines connected with them; null if there are too many. */
export function connectedLines(
  state: RunState,
  rules: readonly Rule[],
  news: News,
): LineFlags | null {
  const search = new Search(state, rules, news);
  const fresh = search.addFresh();
  for (const place of fresh) {
    search.addByAmount(place);
    search.addWithinTolerance(place);
    search.addByWord(place, MAX_LINES_PER_WORD);
    search.addByName(place);
    if (search.hasTooMany) return null;
  }
  search.addByKey(fresh);
  for (const place of search.connectedLines()) {
    search.addByAmount(place, MAX_RIVALS);
    search.addWithinTolerance(place);
    search.addByWord(place, MAX_RIVALS);
    if (search.hasTooMany) return null;
  }
  return search.hasTooMany ? null : search.connected;
}

class Search {
  readonly connected: LineFlags;
  private count = 0;
  private readonly state: RunState;
  private readonly rules: readonly Rule[];
  private readonly news: News;
  private readonly words: Record<Side, WordIndex>;
  private readonly amounts: Record<Side, LinesBySize>;
  /** How many calendar days lines may lie apart by any rule. */
  private readonly days: number;
  /** Ranges of sizes around a day whose lines were added: many lines may share one. */
  private readonly addedRanges = new Set<string>();

  constructor(state: RunState, rules: readonly Rule[], news: News) {
    const texts = state.texts();
    this.state = state;
    this.rules = rules;
    this.news = news;
    this.connected = {
      left: new Uint8Array(state.left.length),
      right: new Uint8Array(state.right.length),
    };
    const wordsOf = (side: Side) =>
      new WordIndex(
        texts[side],
        texts.spelling.length,
        texts[side].rows,
        (row) => row,
        (_, count) => count <= MAX_LINES_PER_NAME,
      );
    this.words = { left: wordsOf("left"), right: wordsOf("right") };
    this.amounts = { left: new LinesBySize(state, "left"), right: new LinesBySize(state, "right") };
    this.days = Math.max(0, ...rules.map(daysOfRule));
  }

  get hasTooMany(): boolean {
    const open = this.state.openCount("left") + this.state.openCount("right");
    return this.count > Math.max(MAX_CONNECTED, MAX_CONNECTED_SHARE * open);
  }

  addFresh(): Place[] {
    const added: Place[] = [];
    for (const side of SIDES) {
      this.news.fresh[side].forEach((isFresh, line) => {
        if (isFresh && this.add(side, line)) added.push({ side, line });
      });
    }
    return added;
  }

  /** The connected lines that are not fresh. */
  connectedLines(): Place[] {
    return SIDES.flatMap((side) =>
      Array.from(this.connected[side].keys())
        .filter((line) => this.connected[side][line] && !this.news.fresh[side][line])
        .map((line) => ({ side, line })),
    );
  }

  /** Adds lines of both sides with this amount, or its opposite, within the days of a rule. */
  addByAmount(place: Place, maxLines = Infinity): void {
    const size = Math.abs(this.amountOf(place));
    for (const side of SIDES) this.addNear(place, side, { low: size, high: size }, maxLines);
  }

  /** Adds lines that a rule which weighs no texts may compare with this one. */
  addWithinTolerance(place: Place): void {
    for (const rule of this.rules) {
      if (rule.kind !== "tolerance") continue;
      const range = reachOf(toleranceOf(rule), Math.abs(this.amountOf(place)));
      for (const side of SIDES) this.addNear(place, side, range);
    }
  }

  addByWord(place: Place, maxLines: number): void {
    for (const side of SIDES)
      for (const line of this.linesSharingWord(place, side, maxLines)) this.add(side, line);
  }

  /** Adds lines of the other side with a word in common and an amount within a rule's tolerance. */
  addByName(place: Place): void {
    const other = opposite(place.side);
    const tolerances = this.rules
      .filter(({ kind, then }) => kind === "score" && then === "match")
      .map(toleranceOf)
      .filter(({ minor, bps }) => minor > 0 || bps > 0);
    const amount = this.amountOf(place);
    const amounts = this.state[other].amount;
    for (const line of this.linesSharingWord(place, other, MAX_LINES_PER_NAME))
      if (tolerances.some((tolerance) => isWithin(tolerance, amount, amounts[line] as number)))
        this.add(other, line);
  }

  /** Adds lines with the key of a fresh line by which a rule groups lines. */
  addByKey(fresh: readonly Place[]): void {
    for (const rule of this.rules) {
      if (rule.kind !== "group") continue;
      const keyOf = ({ side, line }: Place) => {
        const key = ruleKey(this.state[side], line, groupingOf(rule))?.finish();
        return key ? numberOf(key.high, key.low) : null;
      };
      const keys = new Set(fresh.map(keyOf));
      keys.delete(null);
      if (keys.size === 0) continue;
      for (const side of SIDES)
        for (let line = 0; line < this.state[side].length; line++)
          if (keys.has(keyOf({ side, line }))) this.add(side, line);
    }
  }

  private amountOf({ side, line }: Place): number {
    return this.state[side].amount[line] as number;
  }

  /** Adds the lines of a side with sizes in a range, unless they are too many, by days. */
  private addNear(
    place: Place,
    side: Side,
    { low, high }: { low: number; high: number },
    maxLines = Infinity,
  ): void {
    const day = this.state[place.side].value_date[place.line] as number;
    const range = `${side} ${low} ${high} ${day}`;
    if (this.addedRanges.has(range)) return;
    const lines = this.amounts[side].between(low, high);
    if (lines.length > maxLines) return;
    this.addedRanges.add(range);
    const days = this.state[side].value_date;
    for (const line of lines)
      if (Math.abs((days[line] as number) - day) <= this.days) this.add(side, line);
  }

  private add(side: Side, line: number): boolean {
    if (this.connected[side][line] || this.news.matched[side][line]) return false;
    this.connected[side][line] = 1;
    this.count += 1;
    return true;
  }

  /** The lines of a side that have a word of a line, for words that at most `maxLines` have. */
  private *linesSharingWord(place: Place, side: Side, maxLines: number): Generator<number> {
    const texts = this.state.texts();
    const { rowOf, start, words } = texts[place.side];
    const { lineOf } = texts[side];
    const cell = (rowOf[place.line] as number) * FIELD_COUNT;
    for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++) {
      const rows = this.words[side].of(words[at] as number);
      if (rows.length > maxLines) continue;
      for (const row of rows) yield lineOf[row] as number;
    }
  }
}

function daysOfRule(rule: Rule): number {
  const { before, after } = widestWindow(daysAround(rule));
  return Math.max(before, after) * (rule.day_kind === "business" ? DAYS_PER_BUSINESS_DAY : 1);
}

/** The lines of a side by the size of their amount, whatever its sign. */
class LinesBySize {
  private readonly lines: Int32Array;
  private readonly sizes: Float64Array;

  constructor(state: RunState, side: Side) {
    const { amount } = state[side];
    this.lines = state.open(side).slice();
    this.lines.sort((a, b) => Math.abs(amount[a] as number) - Math.abs(amount[b] as number));
    this.sizes = Float64Array.from(this.lines, (line) => Math.abs(amount[line] as number));
  }

  between(min: number, max: number): Int32Array {
    return this.lines.subarray(lowerBound(this.sizes, min), lowerBound(this.sizes, max + 1));
  }
}
