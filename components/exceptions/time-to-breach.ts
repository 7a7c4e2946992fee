import { type BreachRisk, minutesToBreach } from "./deadline.ts";

const HOUR = 60;
const DAY = 24 * HOUR;

/** Up to how many minutes each goes; the edges of a risk are edges here. */
const BUCKETS: { name: string; short: string; upTo: number; risk: BreachRisk }[] = [
  { name: "Over 1 day late", short: "> 1 d late", upTo: -DAY - 1, risk: "breached" },
  { name: "Up to 1 day late", short: "≤ 1 d late", upTo: 0, risk: "breached" },
  { name: "Under 1 hour left", short: "< 1 h", upTo: HOUR - 1, risk: "high" },
  { name: "1 to 4 hours left", short: "1–4 h", upTo: 4 * HOUR, risk: "medium" },
  { name: "4 hours to 1 day left", short: "4–24 h", upTo: DAY, risk: "low" },
  { name: "Over 1 day left", short: "> 1 d", upTo: Number.POSITIVE_INFINITY, risk: "low" },
];

/** How many are how far from their breach. */
export function timeToBreach(items: { due_at: string }[], nowMs: number) {
  const values = BUCKETS.map(() => 0);
  for (const { due_at } of items) {
    const minutes = minutesToBreach(due_at, nowMs);
    const at = BUCKETS.findIndex(({ upTo }) => minutes <= upTo);
    values[at] = (values[at] ?? 0) + 1;
  }
  return BUCKETS.map(({ name, short, risk }, at) => ({ name, short, risk, value: values[at] ?? 0 }));
}
