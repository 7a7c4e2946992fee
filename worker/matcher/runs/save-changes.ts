import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Client } from "pg";
import type { Result } from "../../../engine/engine.ts";
import { type Explanation, explain } from "../../../engine/explain.ts";
import { leadingExactRules } from "../../../engine/passes.ts";
import { sum } from "../../../engine/prepare/sum.ts";
import type { Rule } from "../../../engine/rules.ts";
import { callForValue } from "./call.ts";
import { allocatedOf, type Changes, handlesOf, type NewMatch } from "./changes.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import { type Fees, feeOf, withFees } from "./fees.ts";
import { formatUuid } from "./read-run.ts";
import { withStatementTimeout } from "./statement-timeout.ts";

/**
 * The maximum number of matches in a chunk, which is one transaction of some hundred milliseconds.
 */
const MATCHES_PER_CHUNK = 20_000;
/**
 * The maximum number of matches in a chunk that have an explanation, which takes about a kilobyte.
 */
const EXPLAINED_PER_CHUNK = 2_000;
const REMOVED_PER_CHUNK = 5_000;
/** How many matches are serialized before the event loop gets a turn. */
const MATCHES_PER_TURN = 500;

/** For each rule, whether later runs leave its matches alone. */
function settlingRules(rules: readonly Rule[]): boolean[] {
  const { length } = leadingExactRules(rules);
  return rules.map((_, index) => index < length);
}

/**
 * Stores the changes chunk by chunk. The proof holds after each commit, and a matcher that takes
 * over finds the committed chunks. Obsolete matches are removed first, which frees their lines.
 * While one chunk is stored, the next is serialized.
 * @returns how many matches were left out because their lines were matched in the meantime
 */
export async function saveChanges(
  client: Client,
  run: ClaimedRun,
  result: Result,
  { created, removed }: Changes,
  fees: Fees,
  report: (done: number, total: number) => Promise<void>,
): Promise<number> {
  const total = created.length + removed.length;
  let done = 0;
  let leftOut = 0;
  const save = async (chunk: Chunk, ids: string[]) => {
    leftOut += await withStatementTimeout(client, run, () => saveChunk(client, run, chunk, ids));
    done += chunk.length + ids.length;
    await report(done, total);
  };
  const empty = new Chunk(result, fees);
  for (let from = 0; from < removed.length; from += REMOVED_PER_CHUNK)
    await save(
      empty,
      removed.slice(from, from + REMOVED_PER_CHUNK).map(({ id }) => id),
    );
  let saving = Promise.resolve();
  for (const matches of chunksOf(result, fees, created)) {
    const chunk = new Chunk(result, fees);
    for (const [at, match] of matches.entries()) {
      chunk.add(match);
      // Gives the event loop time to send the previous chunk to the database.
      if (at % MATCHES_PER_TURN === MATCHES_PER_TURN - 1) await yieldToEventLoop();
    }
    await saving;
    saving = save(chunk, []);
    saving.catch(() => {});
  }
  await saving;
  return leftOut;
}

/**
 * Chunks of one state each, so that either all or none of a chunk's lines are taken; new matches
 * are separate from those that replace one.
 */
function* chunksOf(
  result: Result,
  fees: Fees,
  created: readonly NewMatch[],
): Generator<NewMatch[]> {
  const settling = settlingRules(result.input.rules);
  for (const state of ["confirmed", "suggested"] as const) {
    for (const isReplacement of [false, true]) {
      let chunk: NewMatch[] = [];
      let explained = 0;
      for (const match of created) {
        if (match.state !== state || (match.replaces !== null) !== isReplacement) continue;
        chunk.push(match);
        if (fees.size > 0 || !settling[result[state].rule[match.index] as number]) explained += 1;
        if (chunk.length < MATCHES_PER_CHUNK && explained < EXPLAINED_PER_CHUNK) continue;
        yield chunk;
        [chunk, explained] = [[], 0];
      }
      if (chunk.length > 0) yield chunk;
    }
  }
}

/** @returns how many matches were left out */
function saveChunk(
  client: Client,
  run: ClaimedRun,
  chunk: Chunk,
  removed: readonly string[],
): Promise<number> {
  const { tenantId: tenant, reconciliationId: reconciliation, runId, attempt } = run;
  return callForValue(client, "save_matches", {
    tenant,
    reconciliation,
    run: runId,
    attempt,
    gone: array(removed),
    ...chunk.columns(),
  });
}

type Column = (string | number)[];

/**
 * A chunk as the arguments of `private.save_matches`: an array for each column, in Postgres's text
 * format.
 */
class Chunk {
  private readonly result: Result;
  private readonly fees: Fees;
  private readonly adjustments: Record<string, object[]> = {};
  private readonly settling: boolean[];
  private readonly names: string[];
  private readonly explanations: Record<string, Explanation> = {};
  private readonly matches = {
    ids: [] as Column,
    states: [] as Column,
    shapes: [] as Column,
    methods: [] as Column,
    settled: [] as Column,
    scores: [] as Column,
    margins: [] as Column,
    currencies: [] as Column,
    amounts: [] as Column,
    residuals: [] as Column,
    highs: [] as Column,
    lows: [] as Column,
  };
  private readonly members = {
    member_ids: [] as Column,
    member_lines: [] as Column,
    member_sides: [] as Column,
    member_amounts: [] as Column,
  };

  constructor(result: Result, fees: Fees) {
    this.result = result;
    this.fees = fees;
    this.settling = settlingRules(result.input.rules);
    this.names = result.input.rules.map(({ name }) => quote(name));
  }

  get length(): number {
    return this.matches.ids.length;
  }

  add(match: NewMatch): void {
    const { state, index, hash, replaces } = match;
    const matches = this.result[state];
    const { left, right } = this.result.input;
    const leftCount = matches.left(index).length;
    const rightCount = matches.right(index).length;
    const rule = matches.rule[index] as number;
    const handles = handlesOf(this.result, matches, index);
    // Matches with a fee aren't settled, because a later run wouldn't find them by their amount,
    // which is before the fee.
    const settled =
      this.settling[rule] === true &&
      state === "confirmed" &&
      !handles.some((handle) => this.fees.has(handle));
    const allocated = withFees(this.fees, handles, allocatedOf(this.result, match));
    const fee = feeOf(this.fees, handles, leftCount);
    const leftMinor = sum(allocated.slice(0, leftCount));
    const rightMinor = sum(allocated.slice(leftCount));
    const reversal = leftCount === 0 || rightCount === 0;
    const currency =
      leftCount > 0
        ? left.currencyOf(matches.left(index)[0] as number)
        : right.currencyOf(matches.right(index)[0] as number);
    const margin = matches.margin[index] as number;
    const id = replaces ?? newId();
    const columns = this.matches;
    columns.ids.push(id);
    columns.states.push(state);
    columns.shapes.push(
      quote(
        reversal
          ? "reversal"
          : leftCount === 1 && rightCount === 1
            ? "1:1"
            : leftCount === 1
              ? "1:n"
              : rightCount === 1
                ? "n:1"
                : "n:m",
      ),
    );
    columns.methods.push(this.names[rule] as string);
    columns.settled.push(settled ? "t" : "f");
    columns.scores.push(matches.score[index] as number);
    columns.margins.push(Number.isFinite(margin) ? margin : "null");
    columns.currencies.push(currency);
    columns.amounts.push(
      String(reversal ? sum(allocated.filter((minor) => minor > 0)) : leftMinor),
    );
    columns.residuals.push(String(reversal ? 0 : leftMinor - rightMinor - fee));
    columns.highs.push(int64From(hash, 0));
    columns.lows.push(int64From(hash, 16));
    if (!settled) this.explanations[id] = explain(this.result, state, index);
    if (fee !== 0n) this.adjustments[id] = [{ kind: "fee", amount_minor: Number(fee), note: null }];
    if (replaces === null) this.addMembers(id, leftCount, handles, allocated);
  }

  private addMembers(
    id: string,
    leftCount: number,
    handles: readonly number[],
    allocated: readonly number[],
  ): void {
    const { member_ids, member_lines, member_sides, member_amounts } = this.members;
    handles.forEach((handle, at) => {
      member_ids.push(id);
      member_lines.push(handle);
      member_sides.push(at < leftCount ? "left" : "right");
      member_amounts.push(allocated[at] as number);
    });
  }

  columns(): Record<string, string> {
    const arrays = Object.entries({ ...this.matches, ...this.members }).map(([name, values]) => [
      name,
      array(values),
    ]);
    return {
      ...Object.fromEntries(arrays),
      explanations: JSON.stringify(this.explanations),
      adjustments: JSON.stringify(this.adjustments),
    };
  }
}

function array(values: readonly (string | number)[]): string {
  return `{${values.join(",")}}`;
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** 64 bits of the hash as a signed number, as in a bigint. */
function int64From(hash: string, from: number): string {
  return BigInt.asIntN(64, BigInt(`0x${hash.slice(from, from + 16)}`)).toString();
}

let idCount = 0;
const processSuffix = crypto.randomUUID().replaceAll("-", "").slice(0, 12);

/** A UUID that sorts by time, and within a process by order of creation. */
function newId(): string {
  idCount = (idCount + 1) % 2 ** 32;
  return formatUuid(
    `${Date.now().toString(16).padStart(12, "0")}${idCount.toString(16).padStart(8, "0")}${processSuffix}`,
  );
}
