/** Finds out why a line is open, and which line of the other side is its nearest counterpart. */

import type { Lines } from "./lines.ts";
import type { Matches } from "./matches.ts";
import { Counts } from "./prepare/counts.ts";
import { type BusinessDays, daysOf } from "./prepare/days.ts";
import { numberOf } from "./prepare/hash.ts";
import { ruleKey } from "./prepare/key.ts";
import type { RunState } from "./prepare/run-state.ts";
import { FIELD_COUNT } from "./prepare/texts.ts";
import { WordIndex } from "./prepare/word-index.ts";
import { DAY_KINDS, MAX_DAYS, type Rule } from "./rules.ts";
import { opposite, type Side } from "./side.ts";

export const REASONS = [
  "missing_counterpart",
  "amount_differs",
  "outside_window",
  "duplicate",
  "group_incomplete",
  "currency_differs",
  "ambiguous",
] as const;
export type Reason = (typeof REASONS)[number];

/**
 * The open lines of a side in canonical order. `reason` is the index in REASONS, `counterpart` the
 * nearest counterpart or −1.
 */
export type OpenLines = { line: Int32Array; reason: Uint8Array; counterpart: Int32Array };

const DUPLICATE_FIELDS = ["reference"] as const;
/** The maximum number of counterparts with the same reference, amount or key. */
const MAX_LISTED = 20;
/** A word in more open lines of a side than this identifies none of them. */
const MAX_RARE_LINES = 5;

export function reasonsOf(
  state: RunState,
  side: Side,
  suggested: Matches,
  rules: readonly Rule[],
  businessDays: BusinessDays,
): OpenLines {
  const open = state.open(side);
  const clues = new Clues(state, side, suggested, windowsOf(rules, side, businessDays));
  const reason = new Uint8Array(open.length);
  const counterpart = new Int32Array(open.length).fill(-1);
  open.forEach((line, at) => {
    const found = clues.of(line);
    reason[at] = REASONS.indexOf(found.reason);
    counterpart[at] = found.counterpart;
  });
  return { line: open, reason, counterpart };
}

type Clue = { reason: Reason; counterpart: number };
/**
 * How many days before and after a line its counterpart may be dated. `dayNumber` defines which
 * days are counted.
 */
type DayWindow = { before: number; after: number; dayNumber: (day: number) => number };

/** The widest window for each kind of day, calendar or business. */
function windowsOf(rules: readonly Rule[], side: Side, businessDays: BusinessDays): DayWindow[] {
  return DAY_KINDS.flatMap((kind) => {
    const sameKind = rules.filter(({ day_kind = "calendar" }) => day_kind === kind);
    const [first] = sameKind;
    if (!first) return [];
    const before = Math.max(...sameKind.map(({ days_before = 0 }) => days_before));
    const after = Math.max(...sameKind.map(({ days_after = 0 }) => days_after));
    return [
      {
        ...(side === "left" ? { before, after } : { before: after, after: before }),
        dayNumber: daysOf(first, businessDays),
      },
    ];
  });
}

type LookupKeys = { references: Set<number>; amounts: Set<number>; keys: Set<number> };

class Clues {
  private readonly state: RunState;
  private readonly lines: Lines;
  private readonly otherLines: Lines;
  private readonly windows: readonly DayWindow[];
  private readonly inSuggestion = new Map<number, { match: number; counterpart: number }>();
  private readonly suggested: Matches;
  /**
   * Open lines of the other side by hash of the reference, by amount, by group key and by rare
   * word.
   */
  private readonly byReference = new Map<number, number[]>();
  private readonly byAmount = new Map<number, number[]>();
  private readonly byKey = new Map<number, number[]>();
  private readonly byWord: WordIndex;
  private readonly openOthers: Int32Array;
  /** By group key: how many open lines of this side have it. */
  private readonly keyCounts = new Map<number, number>();
  /**
   * How many lines of this side, including settled ones, have the amount and reference of an open
   * one.
   */
  private readonly duplicates = new Counts();

  constructor(state: RunState, side: Side, suggested: Matches, windows: readonly DayWindow[]) {
    const otherSide = opposite(side);
    this.state = state;
    this.lines = state[side];
    this.otherLines = state[otherSide];
    this.suggested = suggested;
    this.windows = windows;
    for (let match = 0; match < suggested.length; match++) {
      const counterparts = suggested[otherSide](match);
      for (const line of suggested[side](match))
        this.inSuggestion.set(line, { match, counterpart: counterparts[0] ?? -1 });
    }
    this.openOthers = state.open(otherSide);
    const needed = this.openOthers.length > state.open(side).length ? this.keysOfOpenLines() : null;
    for (const line of this.openOthers) this.index(line, needed);
    const texts = state.texts();
    this.byWord = new WordIndex(
      texts[otherSide],
      texts.spelling.length,
      this.openOthers.length,
      (at) => texts[otherSide].rowOf[this.openOthers[at] as number] as number,
      (_, count) => count <= MAX_RARE_LINES,
    );
    for (const line of state.open(side)) {
      if (this.lines.hashes.group_key.has(line))
        add(this.keyCounts, this.lines.hashes.group_key.key(line));
    }
    for (const line of state.open(side)) {
      const key = this.duplicateKey(line);
      if (key !== null) this.duplicates.add(key);
    }
    for (let line = 0; line < this.lines.length; line++) {
      const key = state.isOpen(side, line) ? null : this.duplicateKey(line);
      if (key !== null && this.duplicates.get(key) > 0) this.duplicates.add(key);
    }
  }

  of(line: number): Clue {
    return (
      this.suggestion(line) ??
      this.duplicate(line) ??
      this.group(line) ??
      this.sameReference(line) ??
      this.sameAmount(line) ??
      this.sameWord(line) ?? {
        reason: "missing_counterpart",
        counterpart: -1,
      }
    );
  }

  private suggestion(line: number): Clue | null {
    const found = this.inSuggestion.get(line);
    if (!found) return null;
    const { match, counterpart } = found;
    const members =
      (this.suggested.start[match + 1] as number) - (this.suggested.start[match] as number);
    const differs =
      members === 2 &&
      counterpart >= 0 &&
      this.lines.amount[line] !== this.otherLines.amount[counterpart];
    return { reason: differs ? "amount_differs" : "ambiguous", counterpart };
  }

  /** Another line of the same side has the same reference, amount and currency. */
  private duplicate(line: number): Clue | null {
    const key = this.duplicateKey(line);
    if (key === null || this.duplicates.get(key) < 2) return null;
    const reference = this.lines.hashes.reference.key(line);
    return this.byReference.has(reference) ? null : { reason: "duplicate", counterpart: -1 };
  }

  private group(line: number): Clue | null {
    const keys = this.lines.hashes.group_key;
    if (!keys.has(line)) return null;
    const counterpart = this.byKey.get(keys.key(line))?.[0] ?? -1;
    return counterpart >= 0 || (this.keyCounts.get(keys.key(line)) as number) > 1
      ? { reason: "group_incomplete", counterpart }
      : null;
  }

  private sameReference(line: number): Clue | null {
    const references = this.lines.hashes.reference;
    if (!references.has(line)) return null;
    const found = this.byReference.get(references.key(line)) ?? [];
    return this.nearest(line, found);
  }

  private sameAmount(line: number): Clue | null {
    const equalAmounts = this.byAmount.get(this.lines.amount[line] as number) ?? [];
    const sameCurrency = equalAmounts.filter(
      (other) => this.otherLines.currency[other] === this.lines.currency[line],
    );
    const withinWindow = sameCurrency.filter((other) => this.isInWindow(line, other));
    if (withinWindow.length > 0)
      return { reason: "ambiguous", counterpart: withinWindow[0] as number };
    const near = equalAmounts.filter((other) => Math.abs(this.lag(line, other)) <= MAX_DAYS);
    return near.length > 0 ? this.nearest(line, near) : null;
  }

  private sameWord(line: number): Clue | null {
    const texts = this.state.texts();
    const sideTexts = this.lines.side === "left" ? texts.left : texts.right;
    const row = sideTexts.rowOf[line] as number;
    if (row < 0) return null;
    const found: number[] = [];
    for (
      let at = sideTexts.start[row * FIELD_COUNT] as number;
      at < (sideTexts.start[(row + 1) * FIELD_COUNT] as number);
      at++
    ) {
      for (const place of this.byWord.of(sideTexts.words[at] as number))
        found.push(this.openOthers[place] as number);
    }
    return this.nearest(line, found);
  }

  /**
   * Why a line was not matched with the best of these counterparts. The best one has the same
   * currency, then the same sign, then the nearest day.
   */
  private nearest(line: number, found: readonly number[]): Clue | null {
    let best = -1;
    let min = Infinity;
    for (const other of found) {
      const currency = this.otherLines.currency[other] === this.lines.currency[line] ? 0 : 1;
      const sign =
        Math.sign(this.otherLines.amount[other] as number) ===
        Math.sign(this.lines.amount[line] as number)
          ? 0
          : 1;
      const distance = currency * 1e7 + sign * 1e6 + Math.min(9e5, Math.abs(this.lag(line, other)));
      if (distance < min) [best, min] = [other, distance];
    }
    if (best < 0) return null;
    if (this.otherLines.currency[best] !== this.lines.currency[line])
      return { reason: "currency_differs", counterpart: best };
    if (this.otherLines.amount[best] !== this.lines.amount[line])
      return { reason: "amount_differs", counterpart: best };
    return {
      reason: this.isInWindow(line, best) ? "ambiguous" : "outside_window",
      counterpart: best,
    };
  }

  private lag(line: number, other: number): number {
    return (this.otherLines.value_date[other] as number) - (this.lines.value_date[line] as number);
  }

  private isInWindow(line: number, other: number): boolean {
    return this.windows.some(({ before, after, dayNumber }) => {
      const lag =
        dayNumber(this.otherLines.value_date[other] as number) -
        dayNumber(this.lines.value_date[line] as number);
      return lag >= -before && lag <= after;
    });
  }

  /**
   * The references, keys and amounts of this side's open lines. If this side has fewer open lines
   * than the other, only these values are indexed: typically many lines are open and few are new.
   */
  private keysOfOpenLines(): LookupKeys {
    const needed: LookupKeys = { references: new Set(), amounts: new Set(), keys: new Set() };
    const { reference, group_key } = this.lines.hashes;
    for (const line of this.state.open(this.lines.side)) {
      if (reference.has(line)) needed.references.add(reference.key(line));
      if (group_key.has(line)) needed.keys.add(group_key.key(line));
      needed.amounts.add(this.lines.amount[line] as number);
    }
    return needed;
  }

  private index(line: number, needed: LookupKeys | null): void {
    const { reference, group_key } = this.otherLines.hashes;
    const amount = this.otherLines.amount[line] as number;
    if (reference.has(line) && (!needed || needed.references.has(reference.key(line))))
      push(this.byReference, reference.key(line), line);
    if (group_key.has(line) && (!needed || needed.keys.has(group_key.key(line))))
      push(this.byKey, group_key.key(line), line);
    if (!needed || needed.amounts.has(amount)) push(this.byAmount, amount, line);
  }

  private duplicateKey(line: number): number | null {
    const key = ruleKey(this.lines, line, DUPLICATE_FIELDS)
      ?.number(this.lines.amount[line] as number)
      .finish();
    return key ? numberOf(key.high, key.low) : null;
  }
}

function push(lists: Map<number, number[]>, key: number, line: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [line]);
  else if (list.length < MAX_LISTED && list[list.length - 1] !== line) list.push(line);
}

function add(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
