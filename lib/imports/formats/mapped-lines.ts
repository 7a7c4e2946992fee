import { amountMarks, currenciesOf } from "../../wire/amount-marks.ts";
import { decimalsOf } from "../../wire/currencies.ts";
import { dateReader } from "./dates.ts";
import type { Details, ImportLine } from "./line.ts";
import { mappedAmounts, type Values } from "./mapped-amount.ts";
import type { Reading } from "./reader.ts";
import type { Place } from "./refusal.ts";

export type { Values } from "./mapped-amount.ts";

const TEXT_FIELDS = [
  "reference",
  "counterparty",
  "description",
  "group_key",
  "external_id",
] as const;
const PLAIN_AMOUNT = /^-?[\d.,]+$/;

/**
 * Builds lines from named texts, as in CSV and JSON. A missing value date defaults to the booking
 * date. `written` amounts are formatted for people; `wire` amounts have a point before the decimals
 * and no other marks. `add` returns the line that it added.
 */
export function mappedLines(reading: Reading, amounts: "written" | "wire") {
  const { out, mapping, currency: sourceCurrency, timeZone } = reading;
  const readDate = dateReader(mapping?.date_format ?? "YYYY-MM-DD", timeZone);
  const dateWanted = `a day of the calendar as ${mapping?.date_format ?? "YYYY-MM-DD"}`;
  const { minorOf, feeOf } = mappedAmounts(reading, amounts);
  const fileCurrency = mapping?.currency ?? sourceCurrency;

  /** Payment processors also write codes in lower case, and some write a symbol. */
  function currencyOf(values: Values): string | undefined {
    const named = values.currency?.toUpperCase();
    if (named !== undefined && decimalsOf(named) !== undefined) return named;
    if (amounts === "wire") return named ?? fileCurrency;
    if (named !== undefined) return likelyCurrency(currenciesOf(named), fileCurrency) ?? named;
    if (mapping?.currency !== undefined) return fileCurrency;
    const text = values.amount ?? values.debit ?? values.credit;
    if (text === undefined || PLAIN_AMOUNT.test(text)) return fileCurrency;
    return likelyCurrency(amountMarks(text)?.currencies ?? null, fileCurrency) ?? fileCurrency;
  }

  function dayOf(
    place: Place,
    field: "value_date" | "booked_date",
    text: string,
  ): string | undefined {
    const day = readDate(text);
    if (day !== null) return day;
    out.refuse(place, field, "This is not a date.", text, dateWanted);
    return undefined;
  }

  return function add(values: Values, details: Details, position: Place): ImportLine | undefined {
    const currency = currencyOf(values);
    if (currency === undefined || decimalsOf(currency) === undefined) {
      const expected = "an ISO 4217 code such as EUR";
      out.refuse(position, "currency", "This is not a currency.", currency ?? "", expected);
      return undefined;
    }
    const amount_minor = minorOf(position, values, currency);
    if (amount_minor === undefined) return undefined;
    const fee_minor = feeOf(position, values, currency, amount_minor);
    if (fee_minor === undefined) return undefined;
    const booked_date =
      values.booked_date === undefined
        ? undefined
        : dayOf(position, "booked_date", values.booked_date);
    if (values.booked_date !== undefined && booked_date === undefined) return undefined;
    const value_date =
      values.value_date === undefined
        ? booked_date
        : dayOf(position, "value_date", values.value_date);
    if (value_date === undefined) {
      if (values.value_date === undefined)
        out.refuse(position, "value_date", "The line has no date.", "", dateWanted);
      return undefined;
    }
    const line: ImportLine = { amount_minor, currency, value_date, details, position };
    if (fee_minor !== null) line.fee_minor = fee_minor;
    if (booked_date !== undefined) line.booked_date = booked_date;
    for (const field of TEXT_FIELDS) if (values[field] !== undefined) line[field] = values[field];
    const refusedBefore = out.refusedCount;
    out.add(line, reading.statement);
    return out.refusedCount === refusedBefore ? line : undefined;
  };
}

/**
 * The only currency, or the likelier one for this file: £ is the pound sterling unless the file
 * says otherwise.
 */
function likelyCurrency(
  currencies: readonly string[] | null,
  fileCurrency: string | undefined,
): string | undefined {
  if (!currencies) return undefined;
  if (fileCurrency !== undefined && currencies.includes(fileCurrency)) return fileCurrency;
  return currencies.length === 1 || currencies[0] === "GBP" ? currencies[0] : undefined;
}
