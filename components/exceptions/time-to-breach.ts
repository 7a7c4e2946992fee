import type { z } from "zod";
import type { timeToBreach } from "#lib/exceptions/sla/contract.ts";

type Bucket = z.output<typeof timeToBreach>["buckets"][number];

/** The name of a bucket and the label of its bar, by its upper bound in minutes. */
const NAMES = new Map<number | null, readonly [name: string, short: string]>([
  [-1441, ["Over 1 day late", "> 1 d late"]],
  [0, ["Up to 1 day late", "≤ 1 d late"]],
  [59, ["Under 1 hour left", "< 1 h"]],
  [240, ["1 to 4 hours left", "≤ 4 h"]],
  [1440, ["4 hours to 1 day left", "≤ 1 d"]],
  [null, ["Over 1 day left", "> 1 d"]],
]);

export function barsOf(buckets: readonly Bucket[]) {
  return buckets.map(({ to_minutes, breach_risk, open_count }) => ({
    name: NAMES.get(to_minutes)?.[0] ?? `Up to ${to_minutes} min left`,
    value: open_count,
    risk: breach_risk,
  }));
}

export function shortName(name: string): string {
  return NAMES.values().find(([known]) => known === name)?.[1] ?? name;
}
