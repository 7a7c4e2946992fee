import { decimalsOf } from "#lib/wire/currencies.ts";
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
  /** It has no exception yet. */
  is_free: boolean;
};

/** What an exception is about: the lines of a suggestion, or one line. `difference_minor`: left − right. */
export type Subject = {
  match_id: string | null;
  currency: string;
  difference_minor: number;
  is_late: boolean;
  lines: readonly ExceptionLine[];
};

const TITLE_MOST = 200;
const REFERENCE_MOST = 60;
const SOURCE_MOST = 30;

/** What a title says of each reason. */
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

const TO_CONFIRM = "Suggested match to confirm";

/** Of a line alone its amount; of a suggestion's lines what they differ by, if anything, and a reference of each side. */
export function titleOf(
  reason: Reason | "late_arrival",
  { match_id, currency, difference_minor, lines }: Subject,
): string {
  const [first] = lines;
  if (match_id === null && first)
    return cut(
      `${TITLES[reason]}: ${decimal(first.open_minor, currency)} ${currency} of ${first.value_date}, ${first.source}`,
      TITLE_MOST,
    );
  const sides = (["left", "right"] as const).flatMap((side) =>
    namesOf(lines.filter((line) => line.side === side)),
  );
  const amount = `${decimal(Math.abs(difference_minor), currency)} ${currency}`;
  const agreed = difference_minor === 0 && reason !== "late_arrival";
  const what = agreed
    ? TO_CONFIRM
    : reason === "amount_differs"
      ? `${TITLES[reason]} by ${amount}`
      : TITLES[reason];
  return cut(`${what}: ${sides.join(", ")}`, TITLE_MOST);
}

function namesOf([first, ...others]: readonly ExceptionLine[]): string[] {
  if (!first) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return [
    `${cut(first.reference ?? first.value_date, REFERENCE_MOST)}${more} of ${cut(first.source, SOURCE_MOST)}`,
  ];
}

function decimal(minor: number, currency: string): string {
  const digits = decimalsOf(currency) ?? 2;
  const text = String(Math.abs(minor)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return `${minor < 0 ? "-" : ""}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ""}`;
}
