/**
 * The matching engine: takes lines of two sources and rules, returns matches, suggestions and
 * reasons. It is pure: no clock, no randomness, no I/O, and budgets are counted in steps. The same
 * lines, rules and decisions give the same digest in whatever order they are passed.
 */

import { type Lessons, matchByEvidence, type Weighed } from "./assignment/by-evidence.ts";
import { exact } from "./assignment/exact.ts";
import { reversal, tolerant } from "./assignment/nearest-rules.ts";
import { references } from "./assignment/references.ts";
import { disjointSuggestions } from "./assignment/suggestions.ts";
import { connectedLines } from "./candidates/connected-lines.ts";
import { digestOf, ENGINE_VERSION } from "./content-hash.ts";
import type { Contradictions } from "./evidence/contradictions.ts";
import type { Estimates } from "./evidence/estimates.ts";
import type { Lines } from "./lines.ts";
import type { Matches } from "./matches.ts";
import {
  findDifferenceRule,
  findEqualAmountRule,
  leadingExactRules,
  orderPasses,
  type Pass,
} from "./passes.ts";
import { type BusinessDays, mondayToFriday } from "./prepare/days.ts";
import { RunState } from "./prepare/run-state.ts";
import { finished, type Progress } from "./progress.ts";
import { type OpenLines, reasonsOf } from "./reasons.ts";
import {
  type DayKind,
  MAX_DAYS,
  MAX_GROUP_SIZE,
  MAX_RULES,
  MAX_TOLERANCE_BPS,
  type Rule,
} from "./rules.ts";
import type { LineFlags } from "./side.ts";
import { discountedSums } from "./sums/discounted-sums.ts";
import { keyedGroups } from "./sums/keyed.ts";
import { sums } from "./sums/sums.ts";
import { type Waterfall, waterfall } from "./waterfall.ts";
import type { Weights } from "./weights.ts";

export type Input = {
  left: Lines;
  right: Lines;
  rules: readonly Rule[];
  /** `combinationHash` of each combination that a person rejected: it is never proposed again. */
  rejected?: ReadonlySet<string>;
  /** What was learned from decisions on this pair of sources. */
  weights?: Weights | null;
  /**
   * `suggest_only` limits score rules and searches for sums to suggestions. It is used until a pair
   * has a track record.
   */
  automatic?: "as_ruled" | "suggest_only";
  businessDays?: BusinessDays;
};

export type Result = {
  engine_version: string;
  confirmed: Matches;
  /** At most one suggestion for each line, and none for a line in a confirmed match. */
  suggested: Matches;
  /** The lines that no confirmed match includes, each with a reason. */
  open: { left: OpenLines; right: OpenLines };
  waterfall: Waterfall;
  digest: string;
  /** The input that `explain` needs. */
  input: Input;
  weighed: ReadonlyMap<number, Weighed>;
  contradictions: Contradictions;
  /** What was estimated from the lines, for runs with news. */
  estimates: Estimates;
};

const NO_REJECTIONS: ReadonlySet<string> = new Set();

/**
 * Runs in slices: yields its progress after a number of steps, so that yields are at most a few
 * hundred milliseconds apart.
 */
export function* run(input: Input): Generator<Progress, Result> {
  checkRules(input.rules);
  const state = new RunState(input.left, input.right, input.rejected ?? NO_REJECTIONS);
  return yield* applyRules(state, input, orderPasses(input.rules), null);
}

/**
 * What is new since a full run, and what that run estimated. `fresh`: new lines. `matched`: lines
 * that the engine matched, which stay matched.
 */
export type News = { estimates: Estimates; fresh: LineFlags; matched: LineFlags };

/**
 * Runs over all lines that a full run would get, but weighs only the fresh ones and the open lines
 * that they may belong to, by the estimates of a full run. Leading exact rules are not applied, and
 * sums without a key are only suggested, because lines that are left out may add up, too.
 * @returns null if a full run is needed: a rule has no estimates, or the fresh lines may belong to
 *   too many others.
 */
export function* runWithNews(input: Input, news: News): Generator<Progress, Result | null> {
  const { left, right, rules, rejected = NO_REJECTIONS } = input;
  checkRules(rules);
  const { estimates, fresh, matched } = news;
  const isUnknown = ({ kind, then }: Rule, index: number) =>
    kind === "score" && then === "match" && !estimates.rules[index];
  if (rules.some(isUnknown)) return null;
  const state = new RunState(left, right, rejected, estimates.first_words);
  state.isPastExactRules = true;
  yield* state.readTexts("new lines");
  const connected = connectedLines(state, rules, { fresh, matched });
  if (!connected) return null;
  state.limitTo(connected, matched);
  const leading = leadingExactRules(rules).length;
  const passes = orderPasses(rules).filter(({ index }) => index >= leading);
  return yield* applyRules(state, input, passes, estimates);
}

/** @param known what an earlier run estimated; null: it is estimated from these lines. */
function* applyRules(
  state: RunState,
  input: Input,
  passes: readonly Pass[],
  known: Estimates | null,
): Generator<Progress, Result> {
  const {
    left,
    right,
    rules,
    weights = null,
    automatic = "as_ruled",
    businessDays = mondayToFriday,
  } = input;
  const suggestOnly = automatic === "suggest_only";
  const weighed = new Map<number, Weighed>();
  const ruleEstimates: Estimates["rules"] = rules.map(() => null);
  const lessons: Lessons = new Map();
  const equalAmountRule = findEqualAmountRule(rules);
  const differenceRule = findDifferenceRule(rules);
  const reachOf = (dayKind: DayKind) =>
    (known ? known.reach[dayKind] : lessons.get(dayKind)?.reach) ?? { before: 0, after: 0 };
  for (const { rule, index, sumsOf } of passes) {
    yield { stage: rule.name, done: 0, total: 0 };
    const reach = reachOf(rule.day_kind ?? "calendar");
    if (rule.kind !== "exact") state.isPastExactRules = true;
    switch (rule.kind) {
      case "exact":
        yield* exact(state, rule, index, businessDays);
        break;
      case "tolerance":
        yield* tolerant(state, rule, index, businessDays);
        break;
      case "reversal":
        yield* reversal(state, rule, index, businessDays);
        break;
      case "reference":
        yield* references(state, rule, index, businessDays);
        break;
      case "group":
        yield* keyedGroups(state, rule, index, businessDays);
        if (!rule.on?.length) {
          const allowed: Rule =
            (suggestOnly || known) && rule.then === "match" ? { ...rule, then: "suggest" } : rule;
          const pools = yield* sums(state, allowed, index, businessDays, { sumsOf, reach });
          if (sumsOf === "all" && differenceRule)
            yield* discountedSums(state, rule, differenceRule, pools);
        }
        break;
      case "score": {
        const estimate = known?.rules[index];
        if (known && !estimate) break;
        yield* state.readTexts(rule.name);
        const found = yield* matchByEvidence(state, rule, index, {
          businessDays,
          weights,
          suggestOnly,
          lessons,
          equalAmountRule,
          ...(estimate && { known: estimate }),
        });
        if (found.weighed) weighed.set(index, found.weighed);
        ruleEstimates[index] = found.estimate;
        break;
      }
      default:
        rule.kind satisfies never;
    }
  }
  yield { stage: "suggestions", done: 0, total: state.proposed.length };
  const suggested = disjointSuggestions(state);
  yield* state.readTexts("reasons");
  yield { stage: "reasons", done: 0, total: 2 };
  const leftOpen = reasonsOf(state, "left", suggested, rules, businessDays);
  yield { stage: "reasons", done: 1, total: 2 };
  const rightOpen = reasonsOf(state, "right", suggested, rules, businessDays);
  yield { stage: "digest", done: 0, total: state.confirmed.length };
  return {
    engine_version: ENGINE_VERSION,
    confirmed: state.confirmed,
    suggested,
    open: { left: leftOpen, right: rightOpen },
    waterfall: waterfall(state.confirmed, suggested, left, right, rules),
    digest: digestOf(state.confirmed, suggested, left, right),
    input,
    weighed,
    contradictions: state.contradictions,
    estimates: known ?? {
      lines: state.texts().left.rows + state.texts().right.rows,
      rules: ruleEstimates,
      first_words: state.kinds().firstWords,
      reach: Object.fromEntries(
        Array.from(lessons, ([dayKind, lesson]) => [dayKind, lesson.reach]),
      ),
    },
  };
}

/** @throws RangeError if a rule has a value that the contract does not allow. */
function checkRules(rules: readonly Rule[]): void {
  if (rules.length > MAX_RULES) throw new RangeError(`At most ${MAX_RULES} rules.`);
  for (const {
    name,
    amount_tolerance_minor,
    amount_tolerance_bps,
    days_before,
    days_after,
    max_group_size,
  } of rules) {
    const bounds: [number | undefined, number][] = [
      [amount_tolerance_minor, Number.MAX_SAFE_INTEGER],
      [amount_tolerance_bps, MAX_TOLERANCE_BPS],
      [days_before, MAX_DAYS],
      [days_after, MAX_DAYS],
      [max_group_size, MAX_GROUP_SIZE],
    ];
    for (const [value = 0, max] of bounds) {
      if (!Number.isSafeInteger(value) || value < 0 || value > max)
        throw new RangeError(`Rule ${name}: ${value} is not from 0 to ${max}.`);
    }
  }
}

/** Runs without yielding. */
export function match(input: Input): Result {
  return finished(run(input));
}
