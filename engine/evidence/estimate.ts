/**
 * Refines the model of true matches on the pool by expectation maximization: alternates between
 * finding the matches that the model makes probable and fitting the model to them.
 */
import type { Pool } from "../candidates/pool.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { Progress } from "../progress.ts";
import { amountLevel, dayLevel } from "./levels.ts";
import { type Lesson, Observations } from "./observations.ts";
import type { Rates } from "./rates.ts";
import { extendReach, SureLags } from "./reach.ts";
import type { Pairs, Weighing } from "./weighing.ts";

const ROUNDS = 4;
/**
 * The first rounds search for pairs, and later rounds weigh the same pairs again. The search also
 * returns pairs this many nats below the threshold, which later rounds may reach.
 */
const SEARCH_ROUNDS = 2;
const SEARCH_MARGIN_NATS = 3;
/**
 * The model is fitted on a sample of at most this number of seeking nodes. The sample consists of
 * contiguous ranges of amounts, so that competing pairs are seen together.
 */
const MAX_SAMPLE = 2000;
const SAMPLE_RANGES = 6;

/** @returns what the last round observed, for the rules that follow. */
export function* estimate(weighing: Weighing): Generator<Progress, Lesson> {
  const { pool, evidence } = weighing;
  const sample = sampleOf(pool);
  const share = sample.length / Math.max(1, pool.seekers.count);
  const seen = new Observations(pool.texts);
  const sure = new SureLags(pool);
  const observe = (left: number, right: number, count: number) => {
    evidence.alignment.align(pool.leftRow(left), pool.rightRow(right));
    const [a, b] = [pool.left.amount[left] as number, pool.right.amount[right] as number];
    const day = dayLevel((pool.right.day[right] as number) - (pool.left.day[left] as number));
    seen.differences.add(a - b, count);
    seen.addLag(pool.kindOf(left, right), day, count);
    seen.add(amountLevel(a, b), day, evidence.alignment, count);
  };
  let pairs: Pairs | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    // Later rounds weigh the pairs of the second round again, as the model hardly changes any more.
    if (!pairs || round < SEARCH_ROUNDS) {
      pairs = yield* weighing.find(sample, SEARCH_MARGIN_NATS);
      observeRates(pairs, pool, seen.rates);
    }
    seen.clear();
    sure.clear();
    for (const { left, right, probability, units } of weighing.probable(pairs)) {
      sure.add(left, right, probability);
      observe(left, right, probability * units);
    }
    weighing.update(seen, seen.matches / share);
  }
  const farther = yield* extendReach(weighing, sure, sample);
  for (const { left, right, probability, units } of farther)
    observe(left, right, probability * units);
  if (farther.length > 0) weighing.update(seen, seen.matches / share);
  return seen.lesson(sure.reach());
}

/**
 * Counts the rates by which pairs with common text differ, whatever their probability. The number
 * of lines that differ by a rate shows whether it is usual.
 */
function observeRates({ left, right, inCommon }: Pairs, pool: Pool, rates: Rates): void {
  rates.clear();
  for (let at = 0; at < left.length; at++) {
    if (!inCommon[at]) continue;
    const [l, r] = [left[at] as number, right[at] as number];
    rates.add(pool.left.amount[l] as number, pool.right.amount[r] as number, l, r);
  }
}

export function allNodes(nodes: Nodes): Int32Array {
  const all = new Int32Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) all[node] = node;
  return all;
}

/** Seeking nodes in ascending order: all of them, or ranges spread evenly over the amounts. */
function sampleOf({ seekers }: Pool): Int32Array {
  const all = allNodes(seekers);
  if (seekers.count <= MAX_SAMPLE) return all;
  const byAmount = all
    .slice()
    .sort((a, b) => (seekers.amount[a] as number) - (seekers.amount[b] as number) || a - b);
  const rangeSize = Math.floor(MAX_SAMPLE / SAMPLE_RANGES);
  const gap = Math.floor((seekers.count - rangeSize) / (SAMPLE_RANGES - 1));
  const sample: number[] = [];
  for (let at = 0; at < SAMPLE_RANGES; at++)
    sample.push(...byAmount.subarray(at * gap, at * gap + rangeSize));
  return Int32Array.from(new Set(sample)).sort();
}
