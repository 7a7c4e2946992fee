/**
 * What people's decisions on one pair of sources taught: counts of levels and kinds of words, and
 * which names are one. Stored with the pair, shown, and thrown away to reset what was learnt; a
 * name can be forgotten by itself.
 */
import { Alignment } from "./evidence/alignment.ts";
import { type Knowledge, priorKnowledge, wordShares } from "./evidence/knowledge.ts";
import { amountLevel, dayLevel, daysInLevel, EQUAL } from "./evidence/levels.ts";
import { Observations } from "./evidence/observations.ts";
import { type Line, Lines } from "./lines.ts";
import { type KnownName, Names } from "./names.ts";
import type { BusinessDays } from "./prepare/days.ts";
import { inOrder } from "./prepare/order.ts";
import { Texts } from "./prepare/texts.ts";

export type Weights = {
  version: 1;
  /** How many decisions were learnt from. */
  confirmed: number;
  rejected: number;
  knowledge: Knowledge;
  /** Decisions on proposals of weighed evidence by their score: what the scores were worth. */
  calibration: { score_from: number; confirmed: number; rejected: number }[];
  /** Weights from before version 1.6.0 have no names. */
  names?: KnownName[];
};

/**
 * A person's decision on one left and one right line; `score` as it was proposed, null of a match
 * made by hand.
 */
export type Decision = {
  left: Omit<Line, "handle" | "identity">;
  right: Omit<Line, "handle" | "identity">;
  confirmed: boolean;
  score: number | null;
};

const SCORES = [0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999];
/**
 * Older decisions fade: after this number of them, all earlier ones together are scaled down to
 * it before a new one is added.
 */
const REMEMBERED = 2000;
/** The share of wrong proposals that automatic matching may cause. */
const TOLERATED = 1 / 500;
/** Decisions on sure proposals that a track record takes. */
const TRACK_RECORD = 100;

/**
 * Learns from decisions, on top of what was learnt before. Rules count days of either kind, so lags
 * are learnt in both.
 */
export function learn(
  before: Weights | null,
  decisions: readonly Decision[],
  businessDays: BusinessDays,
): Weights {
  const weights: Weights = structuredClone(before ?? emptyWeights());
  const { left, right } = linesOf(decisions);
  const texts = Texts.of(
    { lines: left, open: inOrder(left, () => true) },
    { lines: right, open: inOrder(right, () => true) },
  );
  const alignment = new Alignment(texts);
  const seen = new Observations(texts);
  const businessLags = zeros("day");
  const names = new Names(weights.names);
  decisions.forEach((decision, index) => {
    const { confirmed, score } = decision;
    names.decide(decision.left, decision.right, confirmed);
    if (score !== null) countScore(weights, score, confirmed);
    if (!confirmed) {
      weights.rejected += 1;
      return;
    }
    weights.confirmed += 1;
    alignment.align(texts.left.rowOf[index] as number, texts.right.rowOf[index] as number);
    const amount = amountLevel(left.amount[index] as number, right.amount[index] as number);
    const [from, to] = [left.value_date[index] as number, right.value_date[index] as number];
    seen.add(amount, dayLevel(to - from), alignment, 1);
    const businessLag = dayLevel(businessDays(to) - businessDays(from));
    businessLags[businessLag] =
      (businessLags[businessLag] as number) + 1 / daysInLevel(businessLag);
  });
  weights.names = names.list;
  const decay = Math.min(1, REMEMBERED / Math.max(1, weights.confirmed));
  weights.knowledge = {
    // What was learnt before version 1.5.0 has no slips.
    amount: Array.from(
      seen.amount,
      (count, at) => (weights.knowledge.amount[at] ?? 0) * decay + count,
    ),
    day: weights.knowledge.day.map((count, at) => count * decay + (seen.day[at] as number)),
    business_day: businessLags.map(
      (count, at) => (weights.knowledge.business_day?.[at] ?? 0) * decay + count,
    ),
    words: weights.knowledge.words.map((count, at) => count * decay + (seen.cells[at] as number)),
  };
  return weights;
}

/**
 * The score from which on a proposal is matched automatically: `usual`, or higher where people
 * rejected too many that scored as much. More than 1 where no score was good enough.
 */
export function sureScore(weights: Weights | null, usual: number): number {
  if (!weights) return usual;
  for (const { score_from } of weights.calibration.filter(
    ({ score_from }) => score_from >= usual,
  )) {
    const above = weights.calibration.filter((bucket) => bucket.score_from >= score_from);
    const rejected = above.reduce((total, bucket) => total + bucket.rejected, 0);
    const decided = above.reduce((total, bucket) => total + bucket.rejected + bucket.confirmed, 0);
    // As if five hundred proposals had been right before: a single slip in the first days proves
    // little, two do.
    if (rejected / (decided + 500) < TOLERATED) return score_from;
  }
  return 1.01;
}

/**
 * What a pair's decisions on sure proposals prove: their number, the share that was confirmed, and
 * the least it may truly be (the lower end of Wilson's interval of 95 %, 1927). `proven` where
 * automatic matches can be left on.
 */
export function trackRecord(
  weights: Weights | null,
  usual: number,
): { decided: number; precision: number | null; at_least: number | null; proven: boolean } {
  const sure = weights?.calibration.filter(({ score_from }) => score_from >= usual) ?? [];
  const confirmed = sure.reduce((total, bucket) => total + bucket.confirmed, 0);
  const decided = sure.reduce((total, bucket) => total + bucket.confirmed + bucket.rejected, 0);
  if (decided === 0) return { decided, precision: null, at_least: null, proven: false };
  const precision = confirmed / decided;
  const z = 1.96;
  const middle = precision + (z * z) / (2 * decided);
  const spread =
    z * Math.sqrt((precision * (1 - precision)) / decided + (z * z) / (4 * decided * decided));
  const at_least = (middle - spread) / (1 + (z * z) / decided);
  return {
    decided,
    precision,
    at_least,
    proven: decided >= TRACK_RECORD && precision >= 1 - 2 * TOLERATED,
  };
}

/** What was learnt, in figures that a person can read: shares of true matches. */
export function describeWeights(
  weights: Weights | null,
): { finding: string; share: number; seen: number }[] {
  const { amount, day, words } = weights?.knowledge ?? priorKnowledge();
  const seen = weights?.confirmed ?? 0;
  const total = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const share = (part: number, all: number) => (all > 0 ? part / all : 0);
  const lag = (from: number, to: number) => {
    let part = 0;
    for (let days = from; days <= to; days++) part += day[dayLevel(days)] ?? 0;
    return share(part, total(day));
  };
  const findings = [
    { finding: "amount: equal", share: share(amount[EQUAL] as number, total(amount)), seen },
    { finding: "amount: differs", share: 1 - share(amount[EQUAL] as number, total(amount)), seen },
    { finding: "value_date: right line earlier", share: lag(-31, -1), seen },
    { finding: "value_date: same day", share: lag(0, 0), seen },
    { finding: "value_date: 1 to 2 days later", share: lag(1, 2), seen },
    { finding: "value_date: 3 to 7 days later", share: lag(3, 7), seen },
    { finding: "value_date: more than a week later", share: lag(8, 31), seen },
  ];
  for (const { field, found } of wordShares(words))
    findings.push({ finding: `${field}: words found again`, share: found, seen });
  return findings;
}

function emptyWeights(): Weights {
  return {
    version: 1,
    confirmed: 0,
    rejected: 0,
    knowledge: { amount: zeros("amount"), day: zeros("day"), words: zeros("words") },
    calibration: SCORES.map((score_from) => ({ score_from, confirmed: 0, rejected: 0 })),
  };
}

function zeros(of: "amount" | "day" | "words"): number[] {
  return priorKnowledge()[of].map(() => 0);
}

function countScore(weights: Weights, score: number, confirmed: boolean): void {
  const bucket = weights.calibration.findLast(({ score_from }) => score >= score_from);
  if (bucket) bucket[confirmed ? "confirmed" : "rejected"] += 1;
}

function linesOf(decisions: readonly Decision[]): { left: Lines; right: Lines } {
  const left = new Lines("left", decisions.length);
  const right = new Lines("right", decisions.length);
  for (const [handle, decision] of decisions.entries()) {
    left.add({ ...decision.left, handle, identity: String(handle) });
    right.add({ ...decision.right, handle, identity: String(handle) });
  }
  return { left, right };
}
