import type { z } from "zod";
import type { Problems } from "#components/kit/problems.ts";
import type { Version } from "#components/kit/query.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import type { putSlaPolicyContract, slaPolicy } from "#lib/exceptions/sla/contract.ts";
import { SLA_POLICIES } from "#lib/wire/facts.gen.ts";
import type { Severity } from "../words.tsx";
import { minutesOf, type Span, spanOf } from "./span.ts";

export type Policy = z.output<typeof slaPolicy>;
export type PolicyVersion = Version<Policy>;

type Sent = Omit<z.input<NonNullable<typeof putSlaPolicyContract.body>>, "dry_run">;

/** The fields of a policy's form. Thresholds have keys because two may be equal while one is typed. */
export type Draft = {
  minutes_to_resolve: Record<Severity, Span>;
  at_risk_thresholds: (Span & { key: number })[];
  /** Empty: round the clock. */
  calendar_id: string;
  pause: PauseDraft;
};

/** Empty fields: no limit, no code. `others`: rules of a status and a code together, which this form leaves as they are. */
export type PauseDraft = { longest: Span; max_count: string; in_review: boolean; codes: string; others: PauseRule[] };
type PauseRule = Policy["pause"]["rules"][number];

export const THRESHOLDS_MAX = SLA_POLICIES.at_risk_thresholds.most;
const LENGTH = "Enter a duration from 1 minute to 365 days.";

let lastKey = 0;

export function newThreshold(minutes: number): Draft["at_risk_thresholds"][number] {
  lastKey += 1;
  return { key: lastKey, ...spanOf(minutes) };
}

/** The same for every severity. */
function each<Value>(make: (severity: Severity) => Value): Record<Severity, Value> {
  return { critical: make("critical"), high: make("high"), medium: make("medium"), low: make("low") };
}

const NO_SPAN: Span = { amount: "", unit: "days" };

export function draftOf({ minutes_to_resolve, at_risk_thresholds, calendar_id, pause }: Policy): Draft {
  return {
    calendar_id: calendar_id ?? "",
    pause: {
      longest: pause.max_minutes === null ? NO_SPAN : spanOf(pause.max_minutes),
      max_count: pause.max_count === null ? "" : String(pause.max_count),
      in_review: pause.rules.some(isReview),
      codes: pause.rules
        .filter(isCode)
        .map(({ reason_code }) => reason_code)
        .join(", "),
      others: pause.rules.filter((rule) => !isReview(rule) && !isCode(rule)),
    },
    minutes_to_resolve: each((severity) => spanOf(minutes_to_resolve[severity])),
    at_risk_thresholds: at_risk_thresholds.map(newThreshold),
  };
}

const isReview = ({ status, reason_code }: PauseRule) => status !== null && reason_code === null;
const isCode = ({ status, reason_code }: PauseRule) => status === null && reason_code !== null;

function codesOf({ codes }: PauseDraft): string[] {
  return [...new Set(codes.split(",").map((code) => code.trim()))].filter((code) => code !== "");
}

function pauseFaults(pause: PauseDraft): string[][] {
  const { pause_max_count: count, pause_rules: rules } = SLA_POLICIES;
  const isCount = pause.max_count === "" || (/^\d{1,4}$/.test(pause.max_count) && Number(pause.max_count) <= count.most);
  const codes = codesOf(pause);
  return [
    ...(pause.longest.amount !== "" && minutesOf(pause.longest) === null ? [["pause.max_minutes", LENGTH]] : []),
    ...(isCount ? [] : [["pause.max_count", `Enter a number up to ${count.most}.`]]),
    ...(codes.length + pause.others.length + 1 > rules.most || codes.some((code) => code.length > 64)
      ? [["pause.rules", `Enter at most ${rules.most - 1} codes of up to 64 characters.`]]
      : []),
  ];
}

function pauseOf(pause: PauseDraft): Sent["pause"] {
  return {
    max_minutes: pause.longest.amount === "" ? null : minutesOf(pause.longest),
    max_count: pause.max_count === "" ? null : Number(pause.max_count),
    rules: [
      ...(pause.in_review ? [{ status: "in_review" as const, reason_code: null }] : []),
      ...codesOf(pause).map((reason_code) => ({ status: null, reason_code })),
      ...pause.others,
    ],
  };
}

/** A draft's problems. */
export function faultsIn({ minutes_to_resolve, at_risk_thresholds, pause }: Draft): Problems {
  const thresholds = at_risk_thresholds.map(minutesOf);
  const lengths = SEVERITIES.filter((severity) => minutesOf(minutes_to_resolve[severity]) === null);
  return Object.fromEntries([
    ...pauseFaults(pause),
    ...lengths.map((severity) => [`minutes_to_resolve.${severity}`, LENGTH]),
    ...thresholds.flatMap((one, place) => {
      const path = `at_risk_thresholds.${place}`;
      if (one === null) return [[path, LENGTH]];
      return thresholds.indexOf(one) < place ? [[path, "This warning is a duplicate."]] : [];
    }),
  ]);
}

/** A valid draft as a request body. */
export function policyOf({ minutes_to_resolve, at_risk_thresholds, calendar_id, pause }: Draft): Sent {
  const of = (span: Span) => minutesOf(span) ?? 0;
  return {
    minutes_to_resolve: each((severity) => of(minutes_to_resolve[severity])),
    at_risk_thresholds: at_risk_thresholds.map(of).sort((left, right) => right - left),
    calendar_id: calendar_id || null,
    pause: pauseOf(pause),
  };
}

/** A draft's changes, as name, before and after. */
export function changesOf(
  before: Policy,
  after: Sent,
): { severities: Severity[]; thresholds: boolean; calendar: boolean; pauses: boolean } {
  return {
    calendar: before.calendar_id !== after.calendar_id,
    pauses: JSON.stringify(policyOf(draftOf(before)).pause) !== JSON.stringify(after.pause),
    severities: SEVERITIES.filter((severity) => before.minutes_to_resolve[severity] !== after.minutes_to_resolve[severity]),
    thresholds: String(before.at_risk_thresholds) !== String(after.at_risk_thresholds),
  };
}
