/** Which lines of the two sides call each other by a number, as a reference or in a text. */

import type { Lines } from "../lines.ts";
import {
  digitsIn,
  identifierOf,
  identifiersIn,
  isAmount,
  isDate,
  isStrong,
  LEAST_FOUND,
  otherFormsOf,
} from "../prepare/identifiers.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Side } from "../side.ts";

const SIDES = ["left", "right"] as const;
/** A number of more lines of a side than this is a customer's or an account's. */
const MOST_LINES = 20;
const SLICE = 2000;

/**
 * A line of the other side, the number that both have, and whether the other side's text says it.
 */
export type Named = { line: number; name: string; isSaidByOther: boolean };

/** The numbers of a line: its own, how that is also written, and those in its texts. */
type Numbers = { own: string[]; alike: string[]; said: string[] };
type Lists = Map<string, number[]>;
type Index = { own: Lists; alike: Lists; said: Lists };

export class NamedLines {
  private readonly named: { left: Map<number, Named[]>; right: Map<number, Named[]> };
  private readonly byName: Record<Side, Index>;

  /**
   * Reads the open lines, of the longer side only numbers that the other has: what nobody else says
   * names nothing, and keeping it would cost more memory than the lines themselves.
   */
  static *read(state: RunState, stage: string): Generator<Progress, NamedLines> {
    const [shorter, longer] = [...SIDES].sort(
      (one, other) => state.openCount(one) - state.openCount(other),
    ) as [Side, Side];
    const byName = { left: emptyIndex(), right: emptyIndex() };
    const lefts = new Map<number, Numbers>();
    for (const side of [shorter, longer]) {
      const others = side === longer ? byName[shorter] : null;
      const open = state.open(side);
      for (let done = 0; done < open.length; done++) {
        const line = open[done] as number;
        if (done % SLICE === 0) yield { stage, done, total: open.length };
        if (!sayDigits(state[side], line)) continue;
        const found = numbersOf(state[side], line);
        if (found.own.length + found.said.length === 0) continue;
        let isSaid = false;
        for (const kind of KINDS)
          for (const name of found[kind]) {
            if (others && !KINDS.some((other) => others[other].has(name))) continue;
            push(byName[side][kind], name, line);
            isSaid = true;
          }
        if (side === "left" && isSaid) lefts.set(line, found);
      }
    }
    // Pairs are found in the order of the left side's lines, whichever was read first.
    return new NamedLines(lefts, byName);
  }

  private constructor(lefts: ReadonlyMap<number, Numbers>, byName: Record<Side, Index>) {
    this.byName = byName;
    this.named = { left: new Map(), right: new Map() };
    const { left, right } = byName;
    for (const [line, { own, alike, said }] of lefts) {
      for (const name of own) {
        this.join(line, name, right.own, false);
        this.join(line, name, right.alike, false);
        this.join(line, name, right.said, true);
      }
      for (const name of alike) {
        this.join(line, name, right.own, false);
        this.join(line, name, right.said, true);
      }
      for (const name of said) {
        this.join(line, name, right.own, false);
        this.join(line, name, right.alike, false);
        const isOnly = left.said.get(name)?.length === 1 && right.said.get(name)?.length === 1;
        if (isOnly && isStrong(name) && !isDate(name)) this.join(line, name, right.said, true);
      }
    }
  }

  /** In the order in which they were found. */
  of(side: Side, line: number): readonly Named[] {
    return this.named[side].get(line) ?? NOBODY;
  }

  /** Whether no other open line of either side has the number of two lines. */
  isOnlyName(left: number, { line, name }: Named): boolean {
    return SIDES.every((side) => {
      const own = side === "left" ? left : line;
      return KINDS.every((kind) =>
        (this.byName[side][kind].get(name) ?? []).every((one) => one === own),
      );
    });
  }

  private join(left: number, name: string, lists: Lists, isSaidByOther: boolean): void {
    const lines = lists.get(name);
    if (!lines || lines.length > MOST_LINES) return;
    for (const right of lines) {
      if (!add(this.named.left, left, { line: right, name, isSaidByOther })) continue;
      add(this.named.right, right, { line: left, name, isSaidByOther: !isSaidByOther });
    }
  }
}

const KINDS = ["own", "alike", "said"] as const;
const NOBODY: readonly Named[] = [];

function numbersOf(lines: Lines, line: number): Numbers {
  const reference = lines.text(line, "reference");
  const name = identifierOf(reference);
  const isNamed = name !== null && digitsIn(name) >= LEAST_FOUND;
  const own = isNamed ? [name] : [];
  const said: string[] = [];
  for (const text of [
    lines.text(line, "description"),
    lines.text(line, "counterparty"),
    name === null ? reference : null,
  ]) {
    for (const one of identifiersIn(text))
      if (
        digitsIn(one) >= LEAST_FOUND &&
        one !== name &&
        !YEAR.test(one) &&
        !isAmount(one, lines.amount[line] as number)
      )
        said.push(one);
  }
  return { own, alike: isNamed ? otherFormsOf(name) : [], said };
}

/** By far the most lines of some sources have no number, which their bytes tell soonest. */
function sayDigits(lines: Lines, line: number): boolean {
  return (["reference", "description", "counterparty"] as const).some(
    (field) => lines.digitsIn(line, field) > 0,
  );
}

const YEAR = /^(19|20)\d\d$/;

function emptyIndex(): Index {
  return { own: new Map(), alike: new Map(), said: new Map() };
}

function push(lists: Lists, key: string, line: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [line]);
  else if (list.length <= MOST_LINES && list[list.length - 1] !== line) list.push(line);
}

/** @returns false where the line is known already. */
function add(lists: Map<number, Named[]>, line: number, named: Named): boolean {
  const list = lists.get(line);
  if (!list) lists.set(line, [named]);
  else if (list.some((one) => one.line === named.line)) return false;
  else list.push(named);
  return true;
}
