/**
 * Hashes that identify a combination of lines, a match and a run: 128 bits over the identities of
 * the lines, independent of handles and of order. The hashes of a match's lines are added up, and
 * so are the hashes of a run's matches, as in the multiset hash of Bellare and Micciancio, "A new
 * paradigm for collision-free hashing: incrementality at reduced cost", 1997.
 */

import { identityHash, type Lines, type Text } from "./lines.ts";
import type { Matches } from "./matches.ts";
import { Hasher } from "./prepare/hash.ts";

/** Incremented with every change that may change a result. */
export const ENGINE_VERSION = "2.6.0";

const WORDS = 4;

/** 32 hexadecimal digits that identify a combination of lines, as stored for a rejection. */
export function combinationHash(
  left: Lines,
  leftMembers: ArrayLike<number>,
  right: Lines,
  rightMembers: ArrayLike<number>,
): string {
  members.clear();
  for (let at = 0; at < leftMembers.length; at++)
    members.add(1, left.identity.high, left.identity.low, leftMembers[at] as number, 0);
  for (let at = 0; at < rightMembers.length; at++)
    members.add(2, right.identity.high, right.identity.low, rightMembers[at] as number, 0);
  return hex(members.finish(0));
}

/** The same hash, computed from the identities of the lines. */
export function combinationHashOf(left: readonly Text[], right: readonly Text[]): string {
  members.clear();
  for (const [side, identities] of [
    [1, left],
    [2, right],
  ] as const) {
    for (const identity of identities) {
      const { high, low } = identityHash(identity);
      members.add(side, [high], [low], 0, 0);
    }
  }
  return hex(members.finish(0));
}

/**
 * 32 hexadecimal digits that identify a match as a run made it: its state, its rule, its lines and
 * the amount allocated to each.
 */
export function matchHash(
  state: "confirmed" | "suggested",
  matches: Matches,
  index: number,
  left: Lines,
  right: Lines,
): string {
  return hex(hashMatch(state, matches, index, left, right));
}

/** The engine's version and the sum of the hashes of all matches modulo 2^128. */
export function digestOf(
  confirmed: Matches,
  suggested: Matches,
  left: Lines,
  right: Lines,
): string {
  const total = new Float64Array(WORDS);
  for (const [state, matches] of [
    ["confirmed", confirmed],
    ["suggested", suggested],
  ] as const) {
    for (let index = 0; index < matches.length; index++) {
      const hash = hashMatch(state, matches, index, left, right);
      // Adds the words from the lowest to the highest, with carry.
      let carry = 0;
      for (let word = WORDS - 1; word >= 0; word--) {
        const sum = (total[word] as number) + (hash[word] as number) + carry;
        carry = sum >= 2 ** 32 ? 1 : 0;
        total[word] = sum % 2 ** 32;
      }
    }
  }
  return `${ENGINE_VERSION}:${hex(total)}`;
}

function hashMatch(
  state: "confirmed" | "suggested",
  matches: Matches,
  index: number,
  left: Lines,
  right: Lines,
): Float64Array {
  members.clear();
  const partial = matches.partial.get(index);
  const from = matches.start[index] as number;
  const lefts = matches.lefts[index] as number;
  const count = (matches.start[index + 1] as number) - from;
  for (let at = 0; at < count; at++) {
    const lines = at < lefts ? left : right;
    const line = matches.member[from + at] as number;
    const amount = partial ? (partial[at] as number) : (lines.amount[line] as number);
    members.add(at < lefts ? 1 : 2, lines.identity.high, lines.identity.low, line, amount);
  }
  return members.finish((state === "confirmed" ? 0x100 : 0x200) + (matches.rule[index] as number));
}

/** Sums up the hashes of a match's members: 128 bits, as two lanes of 64 bits. */
class Members {
  private readonly hash = new Hasher();
  private readonly sums = new Int32Array(WORDS);
  private readonly words = new Float64Array(WORDS);
  private count = 0;

  clear(): void {
    this.sums.fill(0);
    this.count = 0;
  }

  add(
    side: number,
    high: ArrayLike<number>,
    low: ArrayLike<number>,
    line: number,
    amount: number,
  ): void {
    this.count += 1;
    for (let lane = 0; lane < 2; lane++) {
      this.hash
        .start(side + lane * 16)
        .word(high[line] as number)
        .word(low[line] as number)
        .number(amount)
        .finish();
      this.sums[2 * lane] = (this.sums[2 * lane] as number) + this.hash.high;
      this.sums[2 * lane + 1] = (this.sums[2 * lane + 1] as number) + this.hash.low;
    }
  }

  /** Returns the four words, which are valid until the next call. */
  finish(salt: number): Float64Array {
    for (let lane = 0; lane < 2; lane++) {
      this.hash.start(salt).word(lane).word(this.count);
      for (let word = 0; word < WORDS; word++)
        this.hash.word(this.sums[(word + 2 * lane) % WORDS] as number);
      this.hash.finish();
      this.words[2 * lane] = this.hash.high;
      this.words[2 * lane + 1] = this.hash.low;
    }
    return this.words;
  }
}

const members = new Members();

/** Concatenates the words directly, because a run may format millions of hashes. */
function hex(words: Float64Array): string {
  return (
    digits(words[0] as number) +
    digits(words[1] as number) +
    digits(words[2] as number) +
    digits(words[3] as number)
  );
}

function digits(word: number): string {
  return (word + 2 ** 32).toString(16).slice(1);
}
