/** The model of true matches refined on the pool: by turns the matches that the model makes probable, and the model they make likely. */
import { Candidates } from "./candidates.ts";
import { Evidence } from "./evidence.ts";
import { type Graph, split } from "./graph.ts";
import { amountLevel, dayLevel } from "./levels.ts";
import { marginals } from "./marginals.ts";
import { type Knowledge, Model, Observations } from "./model.ts";
import type { Pool } from "./pool.ts";
import type { Progress } from "./progress.ts";
import type { Rule } from "./rules.ts";
import { daysAround } from "./window.ts";

/** Evidence below this, in nats, makes no edge: one in four hundred of these is a match. */
const LEAST_NATS = -6;
const ROUNDS = 4;
/** Matches less probable than this teach nothing. */
const LEAST_PROBABILITY = 0.05;
/** The model is fitted on so many left nodes at most, in whole stretches of amounts, so that rivals are seen together. */
const SAMPLE = 3000;
const STRETCHES = 6;
const SLICE = 500;

export function* estimate(pool: Pool, rule: Rule, knowledge: Knowledge | null): Generator<Progress, Model> {
  const { before, after } = daysAround(rule);
  const model = new Model(pool.texts, knowledge, before, after, pool.leftLines, pool.rightLines);
  const sample = sampleOf(pool);
  const share = sample.length / Math.max(1, pool.left.count);
  const seen = new Observations(pool.texts);
  for (let round = 0; round < ROUNDS; round++) {
    const graph = yield* weighed(pool, rule, model, sample);
    const evidence = new Evidence(pool, model);
    seen.clear();
    for (const group of split(graph)) {
      const probability = marginals(group.graph);
      for (let l = 0; l < group.lefts.length; l++) {
        for (let e = group.graph.start[l] as number; e < (group.graph.start[l + 1] as number); e++) {
          const p = probability[e] as number;
          if (p < LEAST_PROBABILITY) continue;
          const left = group.lefts[l] as number;
          const right = group.rights[group.graph.right[e] as number] as number;
          evidence.alignment.align(pool.leftRow(left), pool.rightRow(right));
          const amount = amountLevel(pool.left.amount[left] as number, pool.right.amount[right] as number);
          const day = dayLevel((pool.right.day[right] as number) - (pool.left.day[left] as number));
          seen.add(amount, day, evidence.alignment, p * (group.graph.leftCapacity[l] as number));
        }
      }
    }
    model.update(seen, seen.matches / share, pool.leftLines, pool.rightLines);
  }
  return model;
}

/** The graph of these left nodes' weighed candidates; other left nodes have no edges. */
export function* weighed(pool: Pool, rule: Rule, model: Model, lefts: Int32Array): Generator<Progress, Graph> {
  const evidence = new Evidence(pool, model);
  const candidates = new Candidates(pool, evidence, rule);
  const start = new Int32Array(pool.left.count + 1);
  const right: number[] = [];
  const weight: number[] = [];
  let next = 0;
  for (const [done, l] of lefts.entries()) {
    if (done % SLICE === 0) yield { stage: rule.name, done, total: lefts.length };
    while (next <= l) start[next++] = right.length;
    candidates.find(l, LEAST_NATS - model.prior);
    for (let at = 0; at < candidates.count; at++) {
      const r = candidates.node[at] as number;
      const nats = evidence.weigh(l, r) + model.prior;
      if (nats < LEAST_NATS || pool.isRejected(l, r)) continue;
      right.push(r);
      weight.push(Math.round(nats * 1000));
    }
  }
  while (next <= pool.left.count) start[next++] = right.length;
  return {
    leftCapacity: pool.left.capacities(),
    rightCapacity: pool.right.capacities(),
    start,
    right: Int32Array.from(right),
    weight: Int32Array.from(weight),
  };
}

/** Left nodes by rising number: all, or stretches spread evenly over the amounts. */
function sampleOf({ left }: Pool): Int32Array {
  const all = Int32Array.from({ length: left.count }, (_, l) => l);
  if (left.count <= SAMPLE) return all;
  const byAmount = all.slice().sort((a, b) => (left.amount[a] as number) - (left.amount[b] as number) || a - b);
  const stretch = Math.floor(SAMPLE / STRETCHES);
  const gap = Math.floor((left.count - stretch) / (STRETCHES - 1));
  const sample: number[] = [];
  for (let at = 0; at < STRETCHES; at++) sample.push(...byAmount.subarray(at * gap, at * gap + stretch));
  return Int32Array.from(new Set(sample)).sort();
}
