/**
 * Refines the model of true matches on the pool: alternates between the matches that the model
 * makes probable, and the model that they make likely.
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
 * Rounds that search for pairs again, and by how many nats less those may reach that later rounds
 * examine again.
 */
const ROUNDS_THAT_FIND = 2;
const FORESIGHT = 3;
/**
 * The model is fitted on at most this number of seeking nodes, in whole ranges of amounts, so that
 * rivals are seen together.
 */
const SAMPLE = 2000;
const STRETCHES = 6;

/** @returns what the last round saw, for the rules that follow. */
export function* estimate(weighing: Weighing): Generator<Progress, Lesson> {
  const { pool, evidence } = weighing;
  const sample = sampleOf(pool);
  const share = sample.length / Math.max(1, pool.seekers.count);
  const seen = new Observations(pool.texts);
  const sure = new SureLags(pool);
  const see = (left: number, right: number, count: number) => {
    evidence.alignment.align(pool.leftRow(left), pool.rightRow(right));
    const [a, b] = [pool.left.amount[left] as number, pool.right.amount[right] as number];
    const day = dayLevel((pool.right.day[right] as number) - (pool.left.day[left] as number));
    seen.differences.add(a - b, count);
    seen.addLag(pool.kindOf(left, right), day, count);
    seen.add(amountLevel(a, b), day, evidence.alignment, count);
  };
  let pairs: Pairs | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    // Later rounds re-examine what the second round found: the model hardly changes any more.
    if (!pairs || round < ROUNDS_THAT_FIND) {
      pairs = yield* weighing.find(sample, FORESIGHT);
      seeRates(pairs, pool, seen.rates);
    }
    seen.clear();
    sure.clear();
    for (const { left, right, probability, units } of weighing.probable(pairs)) {
      sure.add(left, right, probability);
      see(left, right, probability * units);
    }
    weighing.update(seen, seen.matches / share);
  }
  const farther = yield* extendReach(weighing, sure, sample);
  for (const { left, right, probability, units } of farther) see(left, right, probability * units);
  if (farther.length > 0) weighing.update(seen, seen.matches / share);
  return seen.lesson(sure.reach());
}

/**
 * Pairs that say something in common, however probable they are: how many lines differ by a rate
 * shows which are usual.
 */
function seeRates({ left, right, inCommon }: Pairs, pool: Pool, rates: Rates): void {
  rates.clear();
  for (let at = 0; at < left.length; at++) {
    if (!inCommon[at]) continue;
    const [l, r] = [left[at] as number, right[at] as number];
    rates.add(pool.left.amount[l] as number, pool.right.amount[r] as number, l, r);
  }
}

export function everyNode(nodes: Nodes): Int32Array {
  const all = new Int32Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) all[node] = node;
  return all;
}

/** Seeking nodes by rising number: all, or stretches spread evenly over the amounts. */
function sampleOf({ seekers }: Pool): Int32Array {
  const all = everyNode(seekers);
  if (seekers.count <= SAMPLE) return all;
  const byAmount = all
    .slice()
    .sort((a, b) => (seekers.amount[a] as number) - (seekers.amount[b] as number) || a - b);
  const stretch = Math.floor(SAMPLE / STRETCHES);
  const gap = Math.floor((seekers.count - stretch) / (STRETCHES - 1));
  const sample: number[] = [];
  for (let at = 0; at < STRETCHES; at++)
    sample.push(...byAmount.subarray(at * gap, at * gap + stretch));
  return Int32Array.from(new Set(sample)).sort();
}
