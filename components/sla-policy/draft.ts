import type { z } from "zod";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import type { putSlaPolicyContract, slaPolicy } from "#lib/exceptions/sla/contract.ts";
import type { FieldError } from "#lib/wire/errors.ts";
import { SLA_POLICIES } from "#lib/wire/facts.gen.ts";
import { minutesOf, type Span, spanOf } from "./span.ts";

export type Policy = z.output<typeof slaPolicy>;
/** A policy, and the ETag by which a change says what it was made on. */
export type Version = { data: Policy; etag: string | null };

type Sent = Omit<z.input<NonNullable<typeof putSlaPolicyContract.body>>, "dry_run">;

export type Severity = (typeof SEVERITIES)[number];

/** A policy as it is being edited. Thresholds have keys of their own: two may be alike while one is typed. */
export type Draft = { minutes: Record<Severity, Span>; thresholds: (Span & { key: number })[] };

export const THRESHOLDS_MAX = SLA_POLICIES.at_risk_thresholds.most;
const LENGTH = "Give a length from 1 minute to 365 days.";

let lastKey = 0;

export function newThreshold(minutes: number): Draft["thresholds"][number] {
  lastKey += 1;
  return { key: lastKey, ...spanOf(minutes) };
}

export function draftOf({ minutes_to_resolve: minutes, at_risk_thresholds }: Policy): Draft {
  return {
    minutes: {
      critical: spanOf(minutes.critical),
      high: spanOf(minutes.high),
      medium: spanOf(minutes.medium),
      low: spanOf(minutes.low),
    },
    thresholds: at_risk_thresholds.map(newThreshold),
  };
}

/** What is wrong with a draft, by the paths that /v1 would name. */
export function problemsOf({ minutes, thresholds }: Draft): FieldError[] {
  const given = thresholds.map(minutesOf);
  return [
    ...SEVERITIES.filter((severity) => minutesOf(minutes[severity]) === null).map((severity) => ({
      path: `minutes_to_resolve.${severity}`,
      message: LENGTH,
    })),
    ...given.flatMap((one, place) => {
      const path = `at_risk_thresholds.${place}`;
      if (one === null) return [{ path, message: LENGTH }];
      return given.indexOf(one) < place ? [{ path, message: "This one is there twice." }] : [];
    }),
  ];
}

/** A draft without problems, as it is sent. */
export function policyOf({ minutes, thresholds }: Draft): Sent {
  const of = (span: Span) => minutesOf(span) ?? 0;
  return {
    minutes_to_resolve: {
      critical: of(minutes.critical),
      high: of(minutes.high),
      medium: of(minutes.medium),
      low: of(minutes.low),
    },
    at_risk_thresholds: thresholds.map(of).sort((left, right) => right - left),
  };
}

/** What a draft changes, in words: name, before and after. */
export function changesOf(before: Sent, after: Sent): { severities: Severity[]; thresholds: boolean } {
  return {
    severities: SEVERITIES.filter((severity) => before.minutes_to_resolve[severity] !== after.minutes_to_resolve[severity]),
    thresholds: String(before.at_risk_thresholds) !== String(after.at_risk_thresholds),
  };
}
