/** Finds pairs of a pool and weighs them by a model that can be refined between searches. */
import { type Graph, split } from "../assignment/graph.ts";
import { marginals } from "../assignment/marginals.ts";
import { Candidates } from "../candidates/candidates.ts";
import { dayRarityOf, type Pool } from "../candidates/pool.ts";
import {
  type Days,
  daysAround,
  intersectionOf,
  unionOf,
  widestWindow,
} from "../candidates/window.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { Texts } from "../prepare/texts.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { type RuleEstimate, toSteps } from "./estimates.ts";
import { Evidence } from "./evidence.ts";
import type { Knowledge } from "./knowledge.ts";
import { Model } from "./model.ts";
import type { Lesson, Observations } from "./observations.ts";

/** A pair with fewer nats is not an edge: at this value one in 400 pairs is a match. */
const MIN_NATS = -6;
/** Less probable matches are ignored when the model is fitted. */
const MIN_PROBABILITY = 0.05;
const SLICE = 500;

/** `inCommon` is whether the pair's texts have anything in common. */
export type Pairs = { left: number[]; right: number[]; inCommon: boolean[] };

/** `units`: how many lines the left node stands for. */
export type ProbablePair = { left: number; right: number; probability: number; units: number };

/** What is estimated where one side has no lines: what is assumed before any are seen. */
export function estimateWithoutPairs(
  texts: Texts,
  { left, right }: { left: Nodes; right: Nodes },
  rule: Rule,
  knowledge: Knowledge | null,
  lesson: Lesson | null,
): RuleEstimate {
  const days = daysAround(rule);
  const lines = ({ start, count }: Nodes) => start[count] as number;
  const model = new Model(texts, knowledge, days, lines(left), lines(right), lesson);
  return {
    model: model.toEstimate(),
    window: windowAfter(days, lesson),
    day_rarity: toSteps(dayRarityOf(left, right)),
  };
}

/** The rule's days, extended by what earlier rules have learned. */
function windowAfter(days: Days, lesson: Lesson | null): Days {
  return lesson ? unionOf(days, intersectionOf(lesson.reach, widestWindow(days))) : days;
}

export class Weighing {
  readonly pool: Pool;
  readonly model: Model;
  readonly evidence: Evidence;
  /** The window in which counterparts are searched: the rule's days, extended by learned ones. */
  days: Days;
  /** The widest window to which it may be extended. */
  readonly widest: Days;
  private readonly rule: Rule;
  private readonly candidates: Candidates;

  constructor(pool: Pool, rule: Rule, knowledge: Knowledge | null, lesson: Lesson | null = null) {
    this.pool = pool;
    this.rule = rule;
    this.model = new Model(
      pool.texts,
      knowledge,
      daysAround(rule),
      pool.leftLines,
      pool.rightLines,
      lesson,
    );
    this.evidence = new Evidence(pool, this.model);
    this.candidates = new Candidates(pool, this.evidence, this.model, rule);
    this.widest = widestWindow(daysAround(rule));
    this.days = daysAround(rule);
    if (lesson) this.setWindow(windowAfter(this.days, lesson));
  }

  setWindow(days: Days): void {
    this.days = days;
    this.candidates.setWindow(days);
  }

  /** What was estimated, in the form that is stored. */
  toEstimate(): RuleEstimate {
    return {
      model: this.model.toEstimate(),
      window: this.days,
      day_rarity: toSteps(this.pool.dayRarity),
    };
  }

  /** Weighs by what an earlier run estimated. */
  restore({ model, window }: RuleEstimate): void {
    this.model.restore(model);
    this.setWindow(window);
    this.evidence.clearCache();
  }

  update(seen: Observations, matches: number): void {
    this.model.update(seen, matches, this.pool.leftLines, this.pool.rightLines);
    this.evidence.clearCache();
  }

  /**
   * Finds the pairs of these seeking nodes that may become edges, in ascending order of the seeking
   * node, then of the sought node.
   * @param margin how many nats below the threshold pairs may be.
   */
  *find(seekers: Int32Array, margin = 0): Generator<Progress, Pairs> {
    const { pool, candidates, model } = this;
    const pairs: Pairs = { left: [], right: [], inCommon: [] };
    const [seeking, sought] =
      pool.seeking === "left" ? [pairs.left, pairs.right] : [pairs.right, pairs.left];
    candidates.begin();
    for (let done = 0; done < seekers.length; done++) {
      const seeker = seekers[done] as number;
      if (done % SLICE === 0) yield { stage: this.rule.name, done, total: seekers.length };
      candidates.find(seeker, MIN_NATS - model.prior - margin);
      for (let at = 0; at < candidates.count; at++) {
        seeking.push(seeker);
        sought.push(candidates.node(at));
        pairs.inCommon.push(candidates.hasInCommon(at));
      }
    }
    return pairs;
  }

  /** The pairs that are probable enough, given all other pairs. */
  *probable(pairs: Pairs): Generator<ProbablePair> {
    for (const group of split(this.graph(pairs))) {
      const probabilities = marginals(group.graph);
      for (let l = 0; l < group.lefts.length; l++) {
        for (
          let edge = group.graph.start[l] as number;
          edge < (group.graph.start[l + 1] as number);
          edge++
        ) {
          const probability = probabilities[edge] as number;
          if (probability < MIN_PROBABILITY) continue;
          const [left, right] = [
            group.lefts[l] as number,
            group.rights[group.graph.right[edge] as number] as number,
          ];
          yield { left, right, probability, units: group.graph.leftCapacity[l] as number };
        }
      }
    }
  }

  /** The graph of the pairs that have enough evidence and were not rejected. */
  graph(pairs: Pairs): Graph {
    const { pool, model, evidence } = this;
    const edges = new Edges();
    for (let at = 0; at < pairs.left.length; at++) {
      const [l, r] = [pairs.left[at] as number, pairs.right[at] as number];
      const nats =
        (pairs.inCommon[at] ? evidence.weigh(l, r) : evidence.weighWithoutSharedWord(l, r)) +
        model.prior;
      if (nats >= MIN_NATS && !pool.isRejected(l, r)) edges.add(l, r, Math.round(nats * 1000));
    }
    return {
      leftCapacity: pool.left.capacities(),
      rightCapacity: pool.right.capacities(),
      ...edges.byLeft(pool.left.count),
    };
  }
}

/** Collects edges in the order in which they are found. */
class Edges {
  private readonly left: number[] = [];
  private readonly right: number[] = [];
  private readonly weight: number[] = [];

  add(left: number, right: number, weight: number): void {
    this.left.push(left);
    this.right.push(right);
    this.weight.push(weight);
  }

  /** The edges in ascending order of left nodes, then of right nodes. */
  byLeft(leftCount: number): Pick<Graph, "start" | "right" | "weight"> {
    const start = new Int32Array(leftCount + 1);
    for (const l of this.left) start[l + 1] = (start[l + 1] as number) + 1;
    for (let l = 0; l < leftCount; l++)
      start[l + 1] = (start[l + 1] as number) + (start[l] as number);
    const next = start.slice();
    const right = new Int32Array(this.left.length);
    const weight = new Int32Array(this.left.length);
    this.left.forEach((l, edge) => {
      const at = next[l] as number;
      next[l] = at + 1;
      right[at] = this.right[edge] as number;
      weight[at] = this.weight[edge] as number;
    });
    return { start, right, weight };
  }
}
