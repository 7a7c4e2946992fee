/**
 * What was learned from people's decisions on one pair of sources: counts of levels and kinds of
 * words, and which names are the same. Weights are stored with the pair and shown to its users, who
 * can delete them to reset what was learned, or delete a single name.
 */
import { Alignment } from "./evidence/alignment.ts";
import { type Knowledge, priorKnowledge, wordShares } from "./evidence/knowledge.ts";
import { amountLevel, dayLevel, daysInLevel, EQUAL } from "./evidence/levels.ts";
import { Observations } from "./evidence/observations.ts";
import { type Line, Lines } from "./lines.ts";
import { type KnownName, Names } from "./names.ts";
import type { BusinessDays } from "./prepare/days.ts";
import { sortLines } from "./prepare/order.ts";
import { Texts } from "./prepare/texts.ts";

export type Weights = {
  version: 1;
  /** The numbers of decisions that were learned from. */
  confirmed: number;
  rejected: number;
  knowledge: Knowledge;
  /** Decisions on weighed proposals by score, which show how reliable the scores were. */
  calibration: { score_from: number; confirmed: number; rejected: number }[];
  /** Weights from before version 1.6.0 have no names. */
  names?: KnownName[];
};

/**
 * A person's decision on one left and one right line. `score` is the score of the proposal; null
 * for a manual match.
 */
export type Decision = {
  left: Omit<Line, "handle" | "identity">;
  right: Omit<Line, "handle" | "identity">;
  confirmed: boolean;
  score: number | null;
};

const SCORES = [0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999];
/**
 * The weight of older decisions is limited: once there are more than this number, their counts are
 * scaled down to it before new decisions are added.
 */
const MAX_REMEMBERED = 2000;
/** The maximum share of wrong matches that automatic matching may make. */
const MAX_WRONG_SHARE = 1 / 500;
/** The number of decisions on proposals above the threshold that a track record requires. */
const MIN_TRACK_RECORD = 100;

/**
 * Adds decisions to what was learned before. Rules count calendar or business days, so lags are
 * learned in both.
 */
export function learn(
  before: Weights | null,
  decisions: readonly Decision[],
  businessDays: BusinessDays,
): Weights {
  const weights: Weights = structuredClone(before ?? emptyWeights());
  const { left, right } = linesOf(decisions);
  const texts = Texts.of(
    { lines: left, open: sortLines(left, () => true) },
    { lines: right, open: sortLines(right, () => true) },
  );
  const alignment = new Alignment(texts);
  const seen = new Observations(texts);
  const businessLags = zeros("day");
  const names = new Names(weights.names);
  decisions.forEach((decision, index) => {
    const { confirmed, score } = decision;
    names.recordDecision(decision.left, decision.right, confirmed);
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
  const decay = Math.min(1, MAX_REMEMBERED / Math.max(1, weights.confirmed));
  weights.knowledge = {
    // Weights from before version 1.5.0 have no counts of slips.
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
 * The score from which proposals are matched automatically: `defaultScore`, or a higher score if
 * people rejected too many proposals with that score. More than 1 if no score is reliable enough.
 */
export function automaticThreshold(weights: Weights | null, defaultScore: number): number {
  if (!weights) return defaultScore;
  for (const { score_from } of weights.calibration.filter(
    ({ score_from }) => score_from >= defaultScore,
  )) {
    const above = weights.calibration.filter((bucket) => bucket.score_from >= score_from);
    const rejected = above.reduce((total, bucket) => total + bucket.rejected, 0);
    const decided = above.reduce((total, bucket) => total + bucket.rejected + bucket.confirmed, 0);
    // Assumes 500 earlier proposals that were right, so that a single rejection in the first days
    // doesn't raise the threshold, but two do.
    if (rejected / (decided + 500) < MAX_WRONG_SHARE) return score_from;
  }
  return 1.01;
}

/**
 * The track record of a pair: the number of decisions on proposals from `threshold` on, the share
 * that was confirmed, and the lower bound of that share (Wilson's 95 % interval, 1927). `proven` is
 * true if matches can be made automatically.
 */
export function trackRecord(
  weights: Weights | null,
  threshold: number,
): { decided: number; precision: number | null; at_least: number | null; proven: boolean } {
  const buckets = weights?.calibration.filter(({ score_from }) => score_from >= threshold) ?? [];
  const confirmed = buckets.reduce((total, bucket) => total + bucket.confirmed, 0);
  const decided = buckets.reduce((total, bucket) => total + bucket.confirmed + bucket.rejected, 0);
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
    proven: decided >= MIN_TRACK_RECORD && precision >= 1 - 2 * MAX_WRONG_SHARE,
  };
}

/** Describes what was learned in figures for people: shares of true matches. */
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

function zeros(kind: "amount" | "day" | "words"): number[] {
  return priorKnowledge()[kind].map(() => 0);
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
