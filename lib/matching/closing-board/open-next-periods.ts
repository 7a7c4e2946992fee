import type { z } from "zod";
import { read, write } from "../../db/call.ts";
import type { Reconciliation } from "../../reconciliations/contract.ts";
import type { Context } from "../../request/context.ts";
import { invalidRequest } from "../../wire/errors.ts";
import { lastDayOf } from "../../wire/months.ts";
import {
  NEXT_PERIODS_MAX,
  NEXT_PERIODS_OF_ALL_MAX,
  type NextPeriod,
  type NextPeriods,
  type openNextPeriodsContract,
} from "./contract.ts";
import { nextPeriod, type Period } from "./next-period.ts";

type Input = z.output<NonNullable<typeof openNextPeriodsContract.body>>;

/** A pair's newest period. */
type Newest = Omit<NextPeriod, "follows" | "reconciliation_id"> & {
  reconciliation_id: string;
  status: Reconciliation["status"];
};

/** @throws ApiError `invalid_request`, `conflict` */
export async function openNextPeriods(
  ctx: Context,
  { through, pairs, dry_run }: Input,
): Promise<NextPeriods> {
  const newest = await read<Newest[]>(ctx, "list_newest_periods", { through, pairs });
  requireKnown(pairs ?? [], newest);
  const lastDay = lastDayOf(through);
  const items: NextPeriod[] = [];
  const skipped: NextPeriods["skipped"] = [];
  for (const { status, reconciliation_id, ...period } of newest) {
    const { left_source_id, right_source_id } = period;
    const following = status === "archived" ? [] : periodsAfter(period, lastDay);
    for (const next of following)
      items.push({ ...period, ...next, follows: reconciliation_id, reconciliation_id: null });
    if (following.length === 0) {
      const reason = status === "archived" ? "archived" : "up_to_date";
      skipped.push({ left_source_id, right_source_id, reason });
    }
  }
  if (items.length > NEXT_PERIODS_OF_ALL_MAX)
    throw invalidRequest([
      {
        path: "through",
        message: `That opens more than ${NEXT_PERIODS_OF_ALL_MAX} periods. Choose an earlier month.`,
      },
    ]);
  if (dry_run) return { items, skipped, dry_run };
  return write<NextPeriods>({ ...ctx, continues: true }, "open_next_periods", {
    periods: items,
    skipped,
  });
}

function requireKnown(pairs: NonNullable<Input["pairs"]>, newest: readonly Newest[]): void {
  const keyOf = (pair: (typeof pairs)[number]) => `${pair.left_source_id} ${pair.right_source_id}`;
  const known = new Set(newest.map(keyOf));
  const unknown = pairs.findIndex((pair) => !known.has(keyOf(pair)));
  if (unknown >= 0)
    throw invalidRequest([
      { path: `pairs.${unknown}`, message: "No reconciliation compares these two sources." },
    ]);
}

/** The periods that begin on `lastDay` or before. */
function periodsAfter(newest: Period, lastDay: string): Period[] {
  const periods: Period[] = [];
  for (
    let next = nextPeriod(newest);
    next.period_start <= lastDay && periods.length < NEXT_PERIODS_MAX;
    next = nextPeriod(next)
  )
    periods.push(next);
  return periods;
}
