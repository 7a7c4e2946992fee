import { cut } from "../../../engine/prepare/text.ts";
import type { Reason } from "../../../engine/reasons.ts";

export type ExceptionLine = {
  line_no: number;
  id: string;
  side: "left" | "right";
  /** The source's name. */
  source: string;
  open_minor: number;
  value_date: string;
  reference: string | null;
  /** Whether the line has no exception yet. */
  is_free: boolean;
};

/**
 * The subject of an exception: the lines of a suggestion, or one line. `difference_minor`: left −
 * right.
 */
export type ExceptionSubject = {
  match_id: string | null;
  currency: string;
  difference_minor: number;
  is_late: boolean;
  lines: readonly ExceptionLine[];
};

const TITLE_MAX_LENGTH = 200;
const REFERENCE_MAX_LENGTH = 60;
const SOURCE_MAX_LENGTH = 30;

/** The title text for each reason. */
const TITLES: Record<Reason | "late_arrival", string> = {
  missing_counterpart: "No counterpart",
  amount_differs: "Amount differs",
  outside_window: "Counterpart outside the window",
  duplicate: "Booked twice",
  group_incomplete: "Group incomplete",
  currency_differs: "Currency differs",
  ambiguous: "Counterpart not certain",
  late_arrival: "Arrived after the period was closed",
};

/** How the title of a single line begins. Other reasons only explain why nothing matched. */
const SINGLE_LINE_PREFIXES: Partial<typeof TITLES> = {
  duplicate: "Booked twice:",
  late_arrival: "Arrived after the period was closed:",
};
const NO_MATCH = "No match for";

const TO_CONFIRM = "Suggested match to confirm";

/**
 * The title of an exception: for a single line, its amount; for the lines of a suggestion, their
 * difference, if any, and a reference of each side.
 */
export function titleOf(
  reason: Reason | "late_arrival",
  { match_id, currency, difference_minor, lines }: ExceptionSubject,
): string {
  const [first] = lines;
  if (match_id === null && first)
    return cut(
      `${SINGLE_LINE_PREFIXES[reason] ?? NO_MATCH} ${money(first.open_minor, currency)}, ${day(first.value_date)}, ${first.source}`,
      TITLE_MAX_LENGTH,
    );
  const sides = (["left", "right"] as const).flatMap((side) =>
    namesOf(lines.filter((line) => line.side === side)),
  );
  const amount = money(Math.abs(difference_minor), currency);
  const isAgreed = difference_minor === 0 && reason !== "late_arrival";
  const prefix = isAgreed
    ? TO_CONFIRM
    : reason === "amount_differs"
      ? `${TITLES[reason]} by ${amount}`
      : TITLES[reason];
  return cut(`${prefix}: ${sides.join(", ")}`, TITLE_MAX_LENGTH);
}

function namesOf([first, ...others]: readonly ExceptionLine[]): string[] {
  if (!first) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return [
    `${cut(first.reference ?? first.value_date, REFERENCE_MAX_LENGTH)}${more} of ${cut(first.source, SOURCE_MAX_LENGTH)}`,
  ];
}

const formats = new Map<string, Intl.NumberFormat>();

function money(minor: number, currency: string): string {
  const format =
    formats.get(currency) ?? new Intl.NumberFormat("en", { style: "currency", currency });
  formats.set(currency, format);
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Formats a day as in 4 Nov 2026. */
function day(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`));
}
