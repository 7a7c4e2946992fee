/** Which lines of the two sides call each other by a number, as a reference or in a text. */

import type { Lines } from "../lines.ts";
import {
  digitsIn,
  formsOf,
  identifierOf,
  identifiersIn,
  isStrong,
  LEAST_FOUND,
} from "../prepare/identifiers.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";

type Side = "left" | "right";
const SIDES = ["left", "right"] as const;
/** A number of more lines of a side than this is a customer's or an account's. */
const MOST_LINES = 20;
const SLICE = 2000;

/** A line of the other side, the number that both have, and whether the other side's text says it. */
export type Named = { line: number; name: string; isSaidByOther: boolean };

/** The numbers of a line: its own, in all forms, and those in its texts. */
type Numbers = { own: string[]; said: string[] };

export class NamedLines {
  private readonly named: { left: Map<number, Named[]>; right: Map<number, Named[]> };
  private readonly byName: Record<
    Side,
    { own: Map<string, number[]>; said: Map<string, number[]> }
  >;

  /** Reads the open lines. */
  static *read(state: RunState, stage: string): Generator<Progress, NamedLines> {
    const byName = { left: emptyIndex(), right: emptyIndex() };
    const numbers = { left: new Map<number, Numbers>(), right: new Map<number, Numbers>() };
    for (const side of SIDES) {
      const open = state.open(side);
      for (const [done, line] of open.entries()) {
        if (done % SLICE === 0) yield { stage, done, total: open.length };
        const found = numbersOf(state[side], line);
        if (found.own.length + found.said.length === 0) continue;
        numbers[side].set(line, found);
        for (const name of found.own) push(byName[side].own, name, line);
        for (const name of found.said) push(byName[side].said, name, line);
      }
    }
    return new NamedLines(numbers, byName);
  }

  private constructor(
    numbers: { left: Map<number, Numbers>; right: Map<number, Numbers> },
    byName: NamedLines["byName"],
  ) {
    this.byName = byName;
    this.named = { left: new Map(), right: new Map() };
    for (const [line, { own, said }] of numbers.left) {
      for (const name of own) {
        this.join(line, name, byName.right.own, false);
        this.join(line, name, byName.right.said, true);
      }
      for (const name of said) {
        this.join(line, name, byName.right.own, false);
        if (isStrong(name) && byName.left.said.get(name)?.length === 1)
          if (byName.right.said.get(name)?.length === 1)
            this.join(line, name, byName.right.said, true);
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
      const { own: having, said } = this.byName[side];
      return [...(having.get(name) ?? []), ...(said.get(name) ?? [])].every((one) => one === own);
    });
  }

  private join(
    left: number,
    name: string,
    index: ReadonlyMap<string, number[]>,
    isSaidByOther: boolean,
  ): void {
    const lines = index.get(name);
    if (!lines || lines.length > MOST_LINES) return;
    for (const right of lines) {
      if (!add(this.named.left, left, { line: right, name, isSaidByOther })) continue;
      add(this.named.right, right, { line: left, name, isSaidByOther: !isSaidByOther });
    }
  }
}

const NOBODY: readonly Named[] = [];

function numbersOf(lines: Lines, line: number): Numbers {
  const name = lines.hashes.reference.has(line)
    ? identifierOf(lines.text(line, "reference"))
    : null;
  const own = name === null || digitsIn(name) < LEAST_FOUND ? [] : formsOf(name);
  const texts = [
    ...(["description", "counterparty"] as const).map((field) => lines.text(line, field)),
    name === null ? lines.text(line, "reference") : null,
  ];
  const said = texts
    .flatMap(identifiersIn)
    .filter((one) => digitsIn(one) >= LEAST_FOUND && !/^(19|20)\d\d$/.test(one));
  return { own: [...new Set(own)], said: [...new Set(said)].filter((one) => !own.includes(one)) };
}

function emptyIndex() {
  return { own: new Map<string, number[]>(), said: new Map<string, number[]>() };
}

function push(lists: Map<string, number[]>, key: string, line: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [line]);
  else if (list.length <= MOST_LINES) list.push(line);
}

/** @returns false where the line is known already. */
function add(lists: Map<number, Named[]>, line: number, named: Named): boolean {
  const list = lists.get(line);
  if (!list) lists.set(line, [named]);
  else if (list.some((one) => one.line === named.line)) return false;
  else list.push(named);
  return true;
}
