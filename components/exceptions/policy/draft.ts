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
export type Draft = { minutes_to_resolve: Record<Severity, Span>; at_risk_thresholds: (Span & { key: number })[] };

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

export function draftOf({ minutes_to_resolve, at_risk_thresholds }: Policy): Draft {
  return {
    minutes_to_resolve: each((severity) => spanOf(minutes_to_resolve[severity])),
    at_risk_thresholds: at_risk_thresholds.map(newThreshold),
  };
}

/** A draft's problems. */
export function faultsIn({ minutes_to_resolve, at_risk_thresholds }: Draft): Problems {
  const thresholds = at_risk_thresholds.map(minutesOf);
  const lengths = SEVERITIES.filter((severity) => minutesOf(minutes_to_resolve[severity]) === null);
  return Object.fromEntries([
    ...lengths.map((severity) => [`minutes_to_resolve.${severity}`, LENGTH]),
    ...thresholds.flatMap((one, place) => {
      const path = `at_risk_thresholds.${place}`;
      if (one === null) return [[path, LENGTH]];
      return thresholds.indexOf(one) < place ? [[path, "This warning is a duplicate."]] : [];
    }),
  ]);
}

/** A valid draft as a request body. */
export function policyOf({ minutes_to_resolve, at_risk_thresholds }: Draft): Sent {
  const of = (span: Span) => minutesOf(span) ?? 0;
  return {
    minutes_to_resolve: each((severity) => of(minutes_to_resolve[severity])),
    at_risk_thresholds: at_risk_thresholds.map(of).sort((left, right) => right - left),
  };
}

/** A draft's changes, as name, before and after. */
export function changesOf(before: Sent, after: Sent): { severities: Severity[]; thresholds: boolean } {
  return {
    severities: SEVERITIES.filter((severity) => before.minutes_to_resolve[severity] !== after.minutes_to_resolve[severity]),
    thresholds: String(before.at_risk_thresholds) !== String(after.at_risk_thresholds),
  };
}
