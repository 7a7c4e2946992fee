import { minorAmount } from "../../../wire/money.ts";
import { sixDigitDay } from "../dates.ts";
import type { Bai2Record } from "./bai2-records.ts";

/** Sums and counts of an account, a group or the file, to compare with its trailer. */
export class Bai2Totals {
  sum = 0n;
  parts = 0;
  #coded = 0;
  #physical = 0;

  add(part: Bai2Totals): void {
    this.sum += part.sum;
    this.parts++;
  }

  count({ coded, physical }: Bai2Record): void {
    this.#coded += coded;
    this.#physical += physical;
  }

  /** Whether the trailer agrees; `parts` are the accounts of a group or the groups of the file. */
  agrees(
    total: string | undefined,
    parts: string | undefined,
    records: string | undefined,
  ): boolean {
    const minor = minorAmount((total ?? "").trim().replace(/^\+/, "") || "0");
    if (typeof minor !== "number" || BigInt(minor) !== this.sum) return false;
    const isCount = equalsCount(records, this.#coded) || equalsCount(records, this.#physical);
    return isCount && (parts === undefined || equalsCount(parts, this.parts));
  }
}

function equalsCount(text: string | undefined, expected: number): boolean {
  return /^\d{1,9}$/.test(text?.trim() ?? "") && Number(text) === expected;
}

/**
 * The type codes and amounts of an 03 record, or the text in it that can't be read. Each pair is
 * followed by an item count and a funds type. The number of empty fields before a slash has no
 * meaning: a continuation that begins with a type code begins a new summary.
 */
export function summaryOf(pieces: string[]): { type: string; amount: string }[] | string {
  const fields = pieces.flatMap((piece, nth) =>
    piece
      .split(",")
      .map((text, at) => ({ text: text.trim(), startsContinuation: nth > 0 && at === 0 })),
  );
  const summary: { type: string; amount: string }[] = [];
  const texts = fields.map(({ text }) => text);
  const isNewSummary = (at: number) => fields[at]?.startsContinuation === true && isType(texts[at]);
  for (let at = 0; at < fields.length; ) {
    const type = texts[at] ?? "";
    if (type === "") {
      at++;
      continue;
    }
    if (!isType(type)) return type;
    summary.push({ type, amount: texts[at + 1] ?? "" });
    at += 2;
    if (isNewSummary(at)) continue;
    at++;
    // Without a funds type, the next summary may follow directly.
    if (isNewSummary(at) || isType(texts[at])) continue;
    if (!/^[Z012SVD]?$/.test(texts[at] ?? "")) return texts[at] ?? "";
    at += fundsLength(texts, at);
  }
  return summary;
}

function isType(text: string | undefined): boolean {
  return /^\d{3}$/.test(text ?? "");
}

/** How many fields a funds type takes, including the one that names it. */
function fundsLength(fields: string[], at: number): number {
  const type = (fields[at] ?? "").trim();
  if (type === "S") return 4;
  if (type === "V") return 3;
  if (type === "D") return 2 + 2 * (Number(fields[at + 1]) || 0);
  return 1;
}

export type Detail = {
  type: string;
  amount: string;
  /** 1 for a credit, -1 for a debit, 0 for no money, undefined if the code has no direction. */
  direction: 1 | -1 | 0 | undefined;
  funds: string[];
  bankReference: string;
  customerReference: string;
  text: string;
};

/** A 16 record, whose text may contain commas. */
export function detailOf(fields: string[]): Detail {
  const type = (fields[1] ?? "").trim();
  const length = fundsLength(fields, 3);
  const [bankReference = "", customerReference = "", ...text] = fields.slice(3 + length);
  return {
    type,
    amount: (fields[2] ?? "").trim(),
    direction: directionOf(type),
    funds: fields.slice(3, 3 + length).map((field) => field.trim()),
    bankReference: bankReference.trim(),
    customerReference: customerReference.trim(),
    // Joining a continuation to an empty text adds a comma.
    text: text.join(",").replace(/^,+/, "").trim(),
  };
}

/** Codes of loans, SEPA and BACS that don't follow the ranges of the other codes. */
const CREDITS = new Set([706, 708, 720, 721, 722, 723, 724, 725, 726, 727, 728, 827, 829]);
const DEBITS = new Set([760, 828]);

/**
 * The direction by BAI's published table. Codes 920 to 999 are for the banks' own use: credits up
 * to 959, then debits. Statuses and balances are not money.
 */
function directionOf(type: string): Detail["direction"] {
  if (!isType(type)) return undefined;
  const code = Number(type);
  if ((code >= 100 && code <= 399) || (code >= 920 && code <= 959) || CREDITS.has(code)) return 1;
  if ((code >= 400 && code <= 699) || (code >= 960 && code <= 999) || DEBITS.has(code)) return -1;
  const isStatus = code < 100 || (code >= 701 && code <= 719) || (code >= 890 && code <= 919);
  return isStatus ? 0 : undefined;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A report is created within a month of the days that it covers. */
const MAX_REPORT_DELAY_DAYS = 31;

/**
 * The day that a six-digit date means if it is read as MMDDYY, provided that it is within 31 days
 * of another date of the same file, read either way. Null if the date has one reading.
 */
export function monthFirstDay(text: string, writtenDate: string): string | null {
  const day = sixDigitDay(yearFirst(text));
  if (day === null || day === sixDigitDay(text)) return null;
  const isClose = [writtenDate, yearFirst(writtenDate)].some((written) => {
    const other = sixDigitDay(written);
    if (other === null) return false;
    return Math.abs(Date.parse(other) - Date.parse(day)) <= MAX_REPORT_DELAY_DAYS * DAY_MS;
  });
  return isClose ? day : null;
}

/** MMDDYY as YYMMDD. */
function yearFirst(text: string): string {
  return `${text.slice(4)}${text.slice(0, 4)}`;
}

export type Funds = { type: string; valueDate?: string; availability?: string };

/**
 * When money is available: V has a value date; S and D state how much is available on which day.
 * Returns the text itself if it is no funds type, or if its date can be read as two days.
 */
export function fundsOf([type = "", ...more]: string[], groupDate: string): Funds | string {
  switch (type) {
    case "":
      return { type: "" };
    case "Z":
    case "0":
    case "1":
    case "2":
      return { type };
    case "S":
      return {
        type,
        availability: `same day ${more[0] || 0}, one day ${more[1] || 0}, later ${more[2] || 0}`,
      };
    case "D":
      return { type, availability: more.slice(1).join(", ") };
    case "V": {
      const [written = ""] = more;
      const valueDate = sixDigitDay(written);
      const isOneDay = valueDate !== null && monthFirstDay(written, groupDate) === null;
      return isOneDay ? { type, valueDate } : `V,${written}`;
    }
    default:
      return type;
  }
}
