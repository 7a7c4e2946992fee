/** Why a line is open, and which line of the other side comes nearest to being its counterpart. */

import type { Lines } from "./lines.ts";
import type { Matches } from "./matches.ts";
import { Counts } from "./prepare/counts.ts";
import { type BusinessDays, daysOf } from "./prepare/days.ts";
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
 * Open lines of a side in canonical order: the reason's place in REASONS, and the nearest
 * counterpart or −1.
 */
export type OpenLines = { line: Int32Array; reason: Uint8Array; counterpart: Int32Array };

const TWIN_FIELDS = ["reference"] as const;
/** Counterparts of one kind that are looked at for a line. */
const LOOKED_AT = 20;
/** A word that more open lines of a side have points to none of them. */
const RARE = 5;

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
 * How many days before and after a line its counterpart may be dated, in the days that `dayNumber`
 * counts.
 */
type DayWindow = { before: number; after: number; dayNumber: (day: number) => number };

/** The widest window of each kind of day that rules count in. */
function windowsOf(rules: readonly Rule[], side: Side, businessDays: BusinessDays): DayWindow[] {
  return DAY_KINDS.flatMap((kind) => {
    const alike = rules.filter(({ day_kind = "calendar" }) => day_kind === kind);
    const [first] = alike;
    if (!first) return [];
    const before = Math.max(...alike.map(({ days_before = 0 }) => days_before));
    const after = Math.max(...alike.map(({ days_after = 0 }) => days_after));
    return [
      {
        ...(side === "left" ? { before, after } : { before: after, after: before }),
        dayNumber: daysOf(first, businessDays),
      },
    ];
  });
}

type QuotedKeys = { references: Set<number>; amounts: Set<number>; keys: Set<number> };

class Clues {
  private readonly state: RunState;
  private readonly own: Lines;
  private readonly other: Lines;
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
  private readonly others: Int32Array;
  private readonly ownKeys = new Map<number, number>();
  /**
   * How many lines of the own side, settled ones too, have the amount and reference of an open one.
   */
  private readonly twins = new Counts();

  constructor(state: RunState, side: Side, suggested: Matches, windows: readonly DayWindow[]) {
    const otherSide = opposite(side);
    this.state = state;
    this.own = state[side];
    this.other = state[otherSide];
    this.suggested = suggested;
    this.windows = windows;
    for (let match = 0; match < suggested.length; match++) {
      const counterparts = suggested[otherSide](match);
      for (const line of suggested[side](match))
        this.inSuggestion.set(line, { match, counterpart: counterparts[0] ?? -1 });
    }
    this.others = state.open(otherSide);
    const needed = this.others.length > state.open(side).length ? this.asked() : null;
    for (const line of this.others) this.index(line, needed);
    const texts = state.texts();
    this.byWord = new WordIndex(
      texts[otherSide],
      texts.spelling.length,
      this.others.length,
      (at) => texts[otherSide].rowOf[this.others[at] as number] as number,
      (_, count) => count <= RARE,
    );
    for (const line of state.open(side)) {
      if (this.own.hashes.group_key.has(line))
        add(this.ownKeys, this.own.hashes.group_key.key(line));
    }
    for (const line of state.open(side)) {
      const key = this.twinKey(line);
      if (key !== null) this.twins.add(key);
    }
    for (let line = 0; line < this.own.length; line++) {
      const key = state.isOpen(side, line) ? null : this.twinKey(line);
      if (key !== null && this.twins.get(key) > 0) this.twins.add(key);
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
      members === 2 && counterpart >= 0 && this.own.amount[line] !== this.other.amount[counterpart];
    return { reason: differs ? "amount_differs" : "ambiguous", counterpart };
  }

  /** The same reference, amount and currency again, on its own side. */
  private duplicate(line: number): Clue | null {
    const key = this.twinKey(line);
    if (key === null || this.twins.get(key) < 2) return null;
    const reference = this.own.hashes.reference.key(line);
    return this.byReference.has(reference) ? null : { reason: "duplicate", counterpart: -1 };
  }

  private group(line: number): Clue | null {
    const keys = this.own.hashes.group_key;
    if (!keys.has(line)) return null;
    const counterpart = this.byKey.get(keys.key(line))?.[0] ?? -1;
    return counterpart >= 0 || (this.ownKeys.get(keys.key(line)) as number) > 1
      ? { reason: "group_incomplete", counterpart }
      : null;
  }

  private sameReference(line: number): Clue | null {
    const references = this.own.hashes.reference;
    if (!references.has(line)) return null;
    const found = this.byReference.get(references.key(line)) ?? [];
    return this.nearest(line, found);
  }

  private sameAmount(line: number): Clue | null {
    const equals = this.byAmount.get(this.own.amount[line] as number) ?? [];
    const sameCurrency = equals.filter(
      (other) => this.other.currency[other] === this.own.currency[line],
    );
    const inWindow = sameCurrency.filter((other) => this.isInWindow(line, other));
    if (inWindow.length > 0) return { reason: "ambiguous", counterpart: inWindow[0] as number };
    const near = equals.filter((other) => Math.abs(this.lag(line, other)) <= MAX_DAYS);
    return near.length > 0 ? this.nearest(line, near) : null;
  }

  private sameWord(line: number): Clue | null {
    const texts = this.state.texts();
    const own = this.own.side === "left" ? texts.left : texts.right;
    const row = own.rowOf[line] as number;
    if (row < 0) return null;
    const found: number[] = [];
    for (
      let at = own.start[row * FIELD_COUNT] as number;
      at < (own.start[(row + 1) * FIELD_COUNT] as number);
      at++
    ) {
      for (const place of this.byWord.of(own.words[at] as number))
        found.push(this.others[place] as number);
    }
    return this.nearest(line, found);
  }

  /**
   * What keeps a line from its best counterpart of these: the same currency first, then the nearest
   * day and amount.
   */
  private nearest(line: number, found: readonly number[]): Clue | null {
    let best = -1;
    let min = Infinity;
    for (const other of found) {
      const currency = this.other.currency[other] === this.own.currency[line] ? 0 : 1;
      const sign =
        Math.sign(this.other.amount[other] as number) === Math.sign(this.own.amount[line] as number)
          ? 0
          : 1;
      const distance = currency * 1e7 + sign * 1e6 + Math.min(9e5, Math.abs(this.lag(line, other)));
      if (distance < min) [best, min] = [other, distance];
    }
    if (best < 0) return null;
    if (this.other.currency[best] !== this.own.currency[line])
      return { reason: "currency_differs", counterpart: best };
    if (this.other.amount[best] !== this.own.amount[line])
      return { reason: "amount_differs", counterpart: best };
    return {
      reason: this.isInWindow(line, best) ? "ambiguous" : "outside_window",
      counterpart: best,
    };
  }

  private lag(line: number, other: number): number {
    return (this.other.value_date[other] as number) - (this.own.value_date[line] as number);
  }

  private isInWindow(line: number, other: number): boolean {
    return this.windows.some(({ before, after, dayNumber }) => {
      const lag =
        dayNumber(this.other.value_date[other] as number) -
        dayNumber(this.own.value_date[line] as number);
      return lag >= -before && lag <= after;
    });
  }

  /**
   * What open lines of the own side have, where they are fewer: many lines are open, and few are
   * new.
   */
  private asked(): QuotedKeys {
    const needed: QuotedKeys = { references: new Set(), amounts: new Set(), keys: new Set() };
    const { reference, group_key } = this.own.hashes;
    for (const line of this.state.open(this.own.side)) {
      if (reference.has(line)) needed.references.add(reference.key(line));
      if (group_key.has(line)) needed.keys.add(group_key.key(line));
      needed.amounts.add(this.own.amount[line] as number);
    }
    return needed;
  }

  private index(line: number, asked: QuotedKeys | null): void {
    const { reference, group_key } = this.other.hashes;
    const amount = this.other.amount[line] as number;
    if (reference.has(line) && (!asked || asked.references.has(reference.key(line))))
      push(this.byReference, reference.key(line), line);
    if (group_key.has(line) && (!asked || asked.keys.has(group_key.key(line))))
      push(this.byKey, group_key.key(line), line);
    if (!asked || asked.amounts.has(amount)) push(this.byAmount, amount, line);
  }

  private twinKey(line: number): number | null {
    const key = ruleKey(this.own, line, TWIN_FIELDS)
      ?.number(this.own.amount[line] as number)
      .finish();
    return key ? (key.high & 0x1fffff) * 4294967296 + key.low : null;
  }
}

function push(lists: Map<number, number[]>, key: number, line: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [line]);
  else if (list.length < LOOKED_AT && list[list.length - 1] !== line) list.push(line);
}

function add(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
