import type { z } from "zod";
import type { Problems } from "#components/kit/problems.ts";
import type { Version } from "#components/kit/query.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import {
  type putSlaPolicyContract,
  type slaPolicy,
  THRESHOLD_KINDS,
} from "#lib/exceptions/sla/contract.ts";
import { SLA_POLICIES } from "#lib/wire/facts.gen.ts";
import type { Severity } from "../labels.tsx";
import { formatSpan, minutesOf, type Span, spanOf, UNITS, type Unit } from "./span.ts";

export type Policy = z.output<typeof slaPolicy>;
export type PolicyVersion = Version<Policy>;

/** The calendars that count a policy's times. */
type Paced = Pick<Policy, "calendar_id" | "calendar_by_severity">;
type Sent = Omit<z.input<NonNullable<typeof putSlaPolicyContract.body>>, "dry_run">;

/** The clock by which a warning counts back from the deadline. */
export type ThresholdKind = (typeof THRESHOLD_KINDS)[number];

/**
 * The fields of a policy's form. Thresholds have keys because two may be equal while one is typed.
 */
export type Draft = {
  minutes_to_resolve: Record<Severity, Span>;
  thresholds: (Span & { key: number; kind: ThresholdKind })[];
  /** Empty means round the clock. */
  calendar_id: string;
  /** Undefined means as calendar_id, empty round the clock. */
  calendar_by_severity: Record<Severity, string | undefined>;
  pause: PauseDraft;
};

/**
 * Empty fields mean no limit and no code. `others` are rules with both a status and a code, which
 * this form keeps unchanged.
 */
export type PauseDraft = {
  longest: Span;
  max_count: string;
  in_review: boolean;
  codes: string;
  others: PauseRule[];
};
type PauseRule = Policy["pause"]["rules"][number];

/** The maximum number of thresholds of each kind. */
export const THRESHOLDS_MAX = SLA_POLICIES.at_risk_thresholds.max;
/** "1 hour before", "1 hour of business time before" */
export const BEFORE_LABELS: Record<ThresholdKind, string> = {
  wall_clock: "before",
  business: "of business time before",
};
const BODY_FIELDS: Record<ThresholdKind, string> = {
  wall_clock: "at_risk_thresholds",
  business: "at_risk_business_thresholds",
};
const LENGTH = "Enter a duration from 1 minute to 365 days.";

let lastKey = 0;

export function newThreshold(
  minutes: number,
  kind: ThresholdKind = "wall_clock",
): Draft["thresholds"][number] {
  lastKey += 1;
  return { key: lastKey, kind, ...spanOf(minutes, unitsOf(kind)) };
}

/**
 * A day of business time is ambiguous (24 hours, or one of the calendar's days), so it is given in
 * hours.
 */
export function unitsOf(kind: ThresholdKind): readonly Unit[] {
  return kind === "business" ? UNITS.filter((unit) => unit !== "days") : UNITS;
}

/** Both kinds of a policy's warnings, in words. */
export function warningsOf(
  policy: Pick<Sent, "at_risk_thresholds" | "at_risk_business_thresholds">,
): string[] {
  return [
    ...policy.at_risk_thresholds.map((minutes) => formatSpan(minutes)),
    ...(policy.at_risk_business_thresholds ?? []).map(
      (minutes) => `${formatSpan(minutes, unitsOf("business"))} of business time`,
    ),
  ];
}

/** Computes a value for every severity. */
function each<Value>(make: (severity: Severity) => Value): Record<Severity, Value> {
  return {
    critical: make("critical"),
    high: make("high"),
    medium: make("medium"),
    low: make("low"),
  };
}

const NO_SPAN: Span = { amount: "", unit: "days" };

export function draftOf({
  minutes_to_resolve,
  calendar_id,
  calendar_by_severity,
  pause,
  ...policy
}: Policy): Draft {
  return {
    calendar_id: calendar_id ?? "",
    calendar_by_severity: each((severity) => {
      const own = calendar_by_severity[severity];
      return own === null ? "" : own;
    }),
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
    thresholds: [
      ...policy.at_risk_thresholds.map((minutes) => newThreshold(minutes)),
      ...policy.at_risk_business_thresholds.map((minutes) => newThreshold(minutes, "business")),
    ],
  };
}

const isReview = ({ status, reason_code }: PauseRule) => status !== null && reason_code === null;
const isCode = ({ status, reason_code }: PauseRule) => status === null && reason_code !== null;

function codesOf({ codes }: PauseDraft): string[] {
  return [...new Set(codes.split(",").map((code) => code.trim()))].filter((code) => code !== "");
}

function pauseFaults(pause: PauseDraft): string[][] {
  const { pause_max_count: count, pause_rules: rules } = SLA_POLICIES;
  const isCount =
    pause.max_count === "" ||
    (/^\d{1,4}$/.test(pause.max_count) && Number(pause.max_count) <= count.max);
  const codes = codesOf(pause);
  return [
    ...(pause.longest.amount !== "" && minutesOf(pause.longest) === null
      ? [["pause.max_minutes", LENGTH]]
      : []),
    ...(isCount ? [] : [["pause.max_count", `Enter a number up to ${count.max}.`]]),
    ...(codes.length + pause.others.length + 1 > rules.max || codes.some((code) => code.length > 64)
      ? [["pause.rules", `Enter at most ${rules.max - 1} codes of up to 64 characters.`]]
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
export function faultsIn({ minutes_to_resolve, thresholds, pause }: Draft): Problems {
  const warnings = thresholds.map(({ kind, ...span }) => `${kind} ${minutesOf(span)}`);
  const surplus = THRESHOLD_KINDS.flatMap((kind) =>
    thresholds.filter((threshold) => threshold.kind === kind).slice(THRESHOLDS_MAX),
  );
  const lengths = SEVERITIES.filter((severity) => minutesOf(minutes_to_resolve[severity]) === null);
  return Object.fromEntries([
    ...pauseFaults(pause),
    ...lengths.map((severity) => [`minutes_to_resolve.${severity}`, LENGTH]),
    ...thresholds.flatMap((threshold, place) => {
      const path = `thresholds.${place}`;
      if (minutesOf(threshold) === null) return [[path, LENGTH]];
      if (surplus.includes(threshold))
        return [[path, `Enter at most ${THRESHOLDS_MAX} warnings of a kind.`]];
      return warnings.indexOf(warnings[place] as string) < place
        ? [[path, "This warning is a duplicate."]]
        : [];
    }),
  ]);
}

/** The warnings of one kind, in the order of the body. */
function sentOf(thresholds: Draft["thresholds"], kind: ThresholdKind): Draft["thresholds"] {
  return thresholds
    .filter((threshold) => threshold.kind === kind)
    .sort((left, right) => (minutesOf(right) ?? 0) - (minutesOf(left) ?? 0));
}

/** The draft's field for a path of the body. */
export function fieldOf(path: string, { thresholds }: Draft): string {
  const [field, at] = path.split(".");
  if (path.startsWith("pause.rules")) return "pause.rules";
  const kind = THRESHOLD_KINDS.find((kind) => field === BODY_FIELDS[kind]);
  if (!kind) return path;
  const warning = sentOf(thresholds, kind)[Number(at ?? 0)] ?? thresholds[0];
  return `thresholds.${thresholds.findIndex(({ key }) => key === warning?.key)}`;
}

/** A valid draft as a request body. */
export function policyOf({
  minutes_to_resolve,
  thresholds,
  calendar_id,
  calendar_by_severity,
  pause,
}: Draft): Sent & Paced {
  const of = (span: Span) => minutesOf(span) ?? 0;
  const warnings = (kind: ThresholdKind) => sentOf(thresholds, kind).map(of);
  const own = SEVERITIES.flatMap((severity) => {
    const calendar = calendar_by_severity[severity];
    return calendar === undefined ? [] : [[severity, calendar || null]];
  });
  return {
    minutes_to_resolve: each((severity) => of(minutes_to_resolve[severity])),
    at_risk_thresholds: warnings("wall_clock"),
    at_risk_business_thresholds: warnings("business"),
    calendar_id: calendar_id || null,
    calendar_by_severity: Object.fromEntries(own),
    pause: pauseOf(pause),
  };
}

/** The calendar of a severity; null for round the clock. */
export function calendarOf(
  { calendar_id, calendar_by_severity }: Paced,
  severity: Severity,
): string | null {
  const own = calendar_by_severity[severity];
  return own === undefined ? calendar_id : own;
}

/** What a draft changes. */
export function changesOf(
  before: Policy,
  after: Sent & Paced,
): {
  severities: Severity[];
  thresholds: boolean;
  calendars: { severity: Severity; from: string | null; to: string | null }[];
  pauses: boolean;
} {
  return {
    calendars: SEVERITIES.map((severity) => ({
      severity,
      from: calendarOf(before, severity),
      to: calendarOf(after, severity),
    })).filter(({ from, to }) => from !== to),
    pauses: JSON.stringify(policyOf(draftOf(before)).pause) !== JSON.stringify(after.pause),
    severities: SEVERITIES.filter(
      (severity) => before.minutes_to_resolve[severity] !== after.minutes_to_resolve[severity],
    ),
    thresholds: String(warningsOf(before)) !== String(warningsOf(after)),
  };
}
