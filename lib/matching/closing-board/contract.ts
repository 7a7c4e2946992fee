import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { actor, id, page, pageQuery, queryInteger, text } from "../../wire/schema.ts";
import { currency, idempotency, reconciliationId, side, sum, tag } from "../contract.ts";

export const PERIOD_STATES = [
  "open",
  "prepared",
  "reviewed",
  "closed",
  "preparing",
  "archived",
] as const;
const SKIPPED_PAIRS = ["up_to_date", "archived"] as const;

const MONTHS_MAX = 12;
const PAIRS_MAX = 500;
/** The maximum number of periods for one pair, and for all pairs of a call. */
export const NEXT_PERIODS_MAX = 12;
export const NEXT_PERIODS_OF_ALL_MAX = 1000;
const LEVELS_MAX = 3;
const CURRENCIES_MAX = 200;

const month = z
  .string()
  .length(7)
  .regex(/^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/, "Must be a month, for example 2026-11.");
const sourceId = id("src");

const pair = {
  left_source_id: sourceId,
  right_source_id: sourceId,
};
const namedPair = {
  ...pair,
  left_source: z.string().meta({ description: "The left source's name.", example: "Bank" }),
  right_source: z.string().meta({ description: "The right source's name.", example: "Ledger" }),
};
const days = {
  name: text(200).meta({ description: "The period's name.", example: "Debtors, November 2026" }),
  period_start: z.iso.date().meta({ example: "2026-11-01" }),
  period_end: z.iso.date().meta({ example: "2026-11-30" }),
};

const boardPeriod = z
  .object({
    reconciliation_id: reconciliationId,
    ...days,
    state: z.enum(PERIOD_STATES).meta({
      description:
        "Its state on the way to the close. preparing: existing lines of its sources are " +
        "still being added.",
      example: "prepared",
    }),
    prepared_by: actor.nullable().meta({
      description: "Who signed it as prepared. Null if no signature is valid.",
      example: "user:leo",
    }),
    reviewed_by: z
      .array(actor)
      .max(LEVELS_MAX)
      .meta({ description: "Who signed it as reviewed, in order.", example: ["user:lea"] }),
    closed_by: actor.nullable().meta({ description: "Who closed it.", example: null }),
    due_day: z.iso
      .date()
      .nullable()
      .meta({
        description:
          "When it is due to be closed: close_days (in the pair's rules) after its end. " +
          "Null if the calendar has too few open days within two years.",
        example: "2026-12-07",
      }),
    overdue: z.boolean().meta({
      description: "Whether it is open after the due day, in both sources' time zones.",
      example: false,
    }),
    open_lines: z.int().min(0).meta({
      description: "Lines up to its end that are open, or were open when it closed.",
      example: 10,
    }),
    open_money: z
      .array(
        z
          .object({
            currency,
            side,
            open_minor: sum.meta({
              description: "The open amount of its lines. Beyond 2^53 − 1, the digits as a string.",
              example: 485_000,
            }),
          })
          .meta({ id: "BoardMoney" }),
      )
      .max(CURRENCIES_MAX)
      .meta({ description: "By currency and side." }),
    oldest_days: z.int().min(0).nullable().meta({
      description: "Days from its oldest open line to its end. Null if nothing is open.",
      example: 34,
    }),
  })
  .meta({ id: "BoardPeriod" });
export type BoardPeriod = z.output<typeof boardPeriod>;

const boardPair = z
  .object({
    ...namedPair,
    periods: z
      .array(boardPeriod)
      .max(1000)
      .meta({ description: "Periods that end in the requested months, earliest first." }),
  })
  .meta({ id: "BoardPair" });
export type BoardPair = z.output<typeof boardPair>;

export const getClosingBoardContract = contract({
  operationId: "getClosingBoard",
  method: "GET",
  path: "/v1/closing-board",
  tag,
  summary: "Get the closing board",
  description:
    "All pairs of sources, in the order in which their sources were created, with the " +
    "periods that end in these months: their state, who signed, when they are due and what " +
    "is open.",
  access: needs("read:reconciliations"),
  functions: ["get_closing_board", "list_newest_periods"],
  query: z
    .strictObject({
      from: month.meta({ description: "The first month.", example: "2026-06" }),
      to: month.meta({ description: "The last month, at most 11 later.", example: "2026-11" }),
      ...pageQuery,
      limit: queryInteger(1, PAIRS_MAX)
        .default(PAIRS_MAX)
        .meta({
          description: "Maximum number of pairs.",
          example: PAIRS_MAX,
          override: { default: PAIRS_MAX },
        }),
    })
    .superRefine(({ from, to }, { addIssue }) => {
      const months = monthNumber(to) - monthNumber(from) + 1;
      if (months < 1 || months > MONTHS_MAX)
        addIssue({
          code: "custom",
          path: ["to"],
          message: `Choose a month from ${from} on, for at most ${MONTHS_MAX} months in all.`,
        });
    }),
  response: page(boardPair),
});

function monthNumber(value: string): number {
  const [year, of] = value.split("-").map(Number);
  return 12 * (year ?? 0) + (of ?? 0);
}

const nextPeriod = z
  .object({
    ...namedPair,
    follows: reconciliationId.meta({ description: "The pair's newest period so far." }),
    reconciliation_id: reconciliationId
      .nullable()
      .meta({ description: "The period that was created. Null in a dry run." }),
    ...days,
  })
  .meta({ id: "NextPeriod" });
export type NextPeriod = z.output<typeof nextPeriod>;

const nextPeriods = z
  .object({
    items: z
      .array(nextPeriod)
      .max(NEXT_PERIODS_OF_ALL_MAX)
      .meta({ description: "The periods that were created, or in a dry run would be." }),
    skipped: z
      .array(
        z
          .object({
            ...pair,
            reason: z.enum(SKIPPED_PAIRS).meta({
              description:
                "up_to_date: its newest period reaches the month. archived: its newest period " +
                "is archived.",
              example: "up_to_date",
            }),
          })
          .meta({ id: "SkippedPair" }),
      )
      .max(100_000)
      .meta({ description: "Pairs without a new period, and why." }),
    dry_run: z.boolean().meta({ description: "Whether nothing was created.", example: false }),
  })
  .meta({ id: "NextPeriods" });
export type NextPeriods = z.output<typeof nextPeriods>;

export const openNextPeriodsContract = contract({
  operationId: "openNextPeriods",
  method: "POST",
  path: "/v1/closing-board/next",
  tag,
  summary: "Open the next periods",
  description:
    "For all pairs, or for those named, creates the periods after the newest one, up to the one " +
    "that begins in `through`: of the same length, named alike, with the same sources and " +
    `rules. At most ${NEXT_PERIODS_MAX} for a pair. Pairs that already reach the month don't ` +
    "change, so the call can be repeated. With dry_run, the response shows what it would create.",
  access: needs("write:reconciliations"),
  functions: ["list_newest_periods", "open_next_periods"],
  idempotency,
  body: z.strictObject({
    through: month.meta({ description: "The month to reach.", example: "2026-12" }),
    pairs: z
      .array(z.strictObject(pair))
      .min(1)
      .max(PAIRS_MAX)
      .optional()
      .meta({ description: "Only these pairs. By default all." }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Only preview what would be created.", example: false }),
  }),
  response: nextPeriods,
  dryRun: "asked",
  errors: ["conflict"],
});
